"""The mark of a recording in what a cell printed."""

import pytest

from tutor.course.recordings import prints_recording


@pytest.mark.parametrize(
    "printed",
    [
        "RECORDED, not run here: TVM 0.27",
        "TVM 0.27; RECORDED where ONNX Runtime is needed: 1.32",
        "two rows\n(recorded: dot)\n",
        "recorded with jax 0.10",
    ],
)
def test_a_mark_is_found(printed: str) -> None:
    assert prints_recording(printed)


@pytest.mark.parametrize("printed", ["", "not recorded   3.1 us an operator", "4 recorded steps"])
def test_another_text_has_none(printed: str) -> None:
    assert not prints_recording(printed)
