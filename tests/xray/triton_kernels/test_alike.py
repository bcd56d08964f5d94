"""Launches that differ by little, and kernels that have one name."""

from pathlib import Path

import alike
import pytest
from running import run


@pytest.mark.slow
def test_kernels_of_one_name_and_launches_of_one_kernel_are_told_apart() -> None:
    shown = run(Path(alike.__file__), "launch_alike", "f32[64]", stage="ttir")
    assert (shown.status, shown.failures) == (0, ())
    keys = [key for key in shown.stages if key.startswith("ttir:")]
    assert keys == ["ttir:renamed", "ttir:renamed@2", "ttir:renamed@3"]
    first, second, third = (shown.notes(key.replace("ttir", "triton")) for key in keys)
    assert first == "Known to be multiples of 16: x, o, n.\nLaunched 3 times in this call."
    again = "Compiled again for other arguments of the same call"
    assert f"{again}: B=64, x no multiple of 16, n no multiple of 16." in second
    assert "Known to be multiples of 16: o." in second
    assert third.startswith("Another kernel of the same name.")
    assert (
        "arith.addf" in shown.stages[keys[0]].text,
        "arith.addf" in shown.stages[keys[2]].text,
    ) == (
        False,
        True,
    )
