"""What Inductor cannot lower is said in words, and the learner's kernels are shown all the same."""

from pathlib import Path

import pytest
from running import run

from tutor.xray.model.error_sentence import sentence_of

FILE = Path(__file__).with_name("allocates.py")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "name"), [("allocates.py", "allocates"), ("imports_allocates.py", "calls_it")]
)
def test_an_allocator_set_inside_is_named(file: str, name: str) -> None:
    shown = run(FILE.with_name(file), name, "f32[1024]", stage="triton")
    (failure,) = shown.failures
    assert "`triton.set_allocator`" in failure.sentence
    assert "triton:doubled_by_descriptor" in shown.stages


def test_an_error_that_says_nothing_is_told_by_its_line() -> None:
    from torch._inductor.exc import InductorError

    try:
        raise AssertionError
    except AssertionError as error:
        wrapped = InductorError(error, None).with_traceback(error.__traceback__)
    assert sentence_of(wrapped).startswith(
        "AssertionError of `raise AssertionError` (test_allocates"
    )
