"""Targets by any of their names, and properties that fit each other."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tutor.base.errors import UsageError
from tutor.hardware.datasheets import find
from tutor.hardware.targets import TARGETS, target


@pytest.mark.parametrize(
    ("name", "expected"),
    [("sm_80", "A100"), ("sm_89", "RTX 4090"), ("sm_90", "H100"), ("H200", "H200"),
     ("sm_100", "B200"), ("gfx942", "MI300X"), ("rtx 4090", "RTX 4090"), ("RTX4090", "RTX 4090")],
)  # fmt: skip
def test_names(name: str, expected: str) -> None:
    assert target(name).name == expected


@given(st.text(max_size=60))
def test_any_other_name_is_one_sentence(name: str) -> None:
    assume(not any(name.casefold().strip(" _-")[:2] == start for start in ("sm", "gf", "rt", "mi")))
    assume(name.casefold().strip(" _-")[:1] not in ("a", "b", "h"))
    with pytest.raises(UsageError) as raised:
        target(name)
    said = str(raised.value)
    assert "sm_90" in said
    assert "MI300X" in said
    assert said.isprintable()


@pytest.mark.parametrize("chip", TARGETS, ids=lambda chip: chip.name)
def test_properties_fit_each_other(chip) -> None:
    assert chip.source
    assert chip.threads_per_block <= chip.threads_per_multiprocessor
    assert chip.threads_per_multiprocessor % chip.warp_size == 0
    assert chip.shared_per_block <= chip.shared_per_block_optin <= chip.shared_per_multiprocessor
    device = find({"A100": "A100-SXM4-80GB"}.get(chip.name, chip.name))
    assert device is not None
    assert device.arch == chip.arch
    # both report the clock of commands: NVIDIA's memories move two bits a pin in one, AMD's HBM3 four
    transfers = 2 if chip.vendor == "nvidia" else 4
    bandwidth = transfers * chip.memory_clock * 1e3 * chip.memory_bus / 8
    assert bandwidth == pytest.approx(device.bandwidth, rel=0.07)
