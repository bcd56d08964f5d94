"""Code that catches the error of a question that only a GPU answers may launch more than was seen."""

from pathlib import Path

import pytest
from running import run

from tutor.hardware import presence


@pytest.mark.skipif(presence.has_nvidia(), reason="a GPU answers")
def test_a_question_without_an_answer_is_told() -> None:
    file = Path(__file__).with_name("times_quietly.py")
    shown = run(file, "times_quietly", "f32[100]", stage="triton")
    assert shown.status == 0, shown.failures
    assert "caught an error, and may launch more" in shown.notes("source")
    assert "`torch.cuda.Event.elapsed_time` asks how long" in shown.notes("source")
