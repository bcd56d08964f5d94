"""Which value the judge names as neutral for the masked lanes of a wrong kernel."""

import pytest
from judging import first_code, judged

from tutor.base import paths

WRONG = paths.course_root() / "kernels" / "masked_tail" / "wrong"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["padding_left_out", "padding_of_the_maximum"])
def test_a_value_that_one_case_takes_by_chance_is_not_named(judge, name):
    """0 is neutral for the minimum of negative numbers alone; infinity is for all."""
    verdict = judged(judge, (WRONG / f"{name}.py").read_text("utf-8"), "masked_tail")
    assert first_code(verdict) == "missing-mask"
    assert "with inf in them" in verdict.diagnosis[0].message
