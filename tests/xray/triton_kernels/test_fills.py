"""Notes on fills of a launcher, whose kernels are not shown."""

from pathlib import Path

import fills
import pytest
from running import run

FILE = Path(fills.__file__)


@pytest.mark.slow
def test_a_fill_before_the_launch_is_named() -> None:
    shown = run(FILE, "fill_and_add", "f32[64]")
    assert "PyTorch also runs zeros_like in this call" in shown.notes("source")
    assert "triton:add_part" in shown.stages


@pytest.mark.slow
def test_an_allocation_is_no_fill() -> None:
    assert "PyTorch also runs" not in run(FILE, "add", "f32[64]").notes("source")
