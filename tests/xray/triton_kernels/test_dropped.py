"""A kernel whose results nothing uses is not in what torch.compile writes, and that is said."""

from pathlib import Path

import pytest
from running import run

FILE = Path(__file__).with_name("dropped.py")


@pytest.mark.slow
def test_a_launch_that_is_left_out_is_told() -> None:
    shown = run(FILE, "prints_between", "f32[100]", stage="triton")
    assert shown.status == 0, shown.failures
    assert "torch.compile leaves out a launch" in shown.notes("triton:prints")
    assert "leaves out" not in shown.notes("triton:adds")
