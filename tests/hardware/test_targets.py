"""Targets by any of their names, and properties that fit each other."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tutor.base.errors import UsageError
from tutor.hardware.gpus import TARGETS, find, target


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sm_80", "A100"),
        ("sm_89", "RTX 4090"),
        ("sm_90", "H100"),
        ("H200", "H200"),
        ("sm_100", "B200"),
        ("gfx942", "MI300X"),
        ("rtx 4090", "RTX 4090"),
        ("RTX4090", "RTX 4090"),
    ],
)
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


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ("NVIDIA H200", "H200"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA H100 NVL", "H100 NVL"),
        ("NVIDIA H100 PCIe", "H100 PCIe"),
        ("NVIDIA A100-SXM4-80GB", "A100"),
        ("NVIDIA A100-SXM4-40GB", "A100 40GB"),
        ("NVIDIA A100-PCIE-40GB", "A100 40GB"),
        ("NVIDIA A100 80GB PCIe", "A100 80GB PCIe"),
        ("Tesla V100-SXM2-16GB", "V100"),
        ("Tesla T4", "T4"),
        ("NVIDIA L4", "L4"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
    ],
)
def test_names_of_drivers(reported: str, expected: str) -> None:
    found = find(reported)
    assert found is not None
    assert found.name == expected


@pytest.mark.parametrize(
    "reported", ["NVIDIA L40S", "NVIDIA RTX A1000", "NVIDIA T400 4GB", "NVIDIA GH200 480GB"]
)
def test_another_chip_whose_name_holds_a_known_one_is_unknown(reported: str) -> None:
    assert find(reported) is None


def test_a_gpu_whose_properties_are_unknown_is_no_target() -> None:
    with pytest.raises(UsageError):
        target("V100")


@pytest.mark.parametrize("chip", TARGETS, ids=lambda chip: chip.name)
def test_properties_fit_each_other(chip) -> None:
    assert chip.source
    assert chip.properties_source
    assert chip.threads_per_block <= chip.threads_per_multiprocessor
    assert chip.threads_per_multiprocessor % chip.warp_size == 0
    assert chip.shared_per_block <= chip.shared_per_block_optin <= chip.shared_per_multiprocessor
    assert find({"A100": "NVIDIA A100-SXM4-80GB"}.get(chip.name, f"NVIDIA {chip.name}")) is chip
    # both report the clock of commands: NVIDIA's memories move two bits a pin in one, AMD's HBM3 four
    transfers = 2 if chip.vendor == "nvidia" else 4
    bandwidth = transfers * chip.memory_clock * 1e3 * chip.memory_bus / 8
    assert bandwidth == pytest.approx(chip.bandwidth, rel=0.07)
