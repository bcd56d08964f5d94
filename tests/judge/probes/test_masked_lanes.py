"""Which value the judge names as neutral for the masked lanes of a wrong kernel."""

import pytest
from course_answers import wrong_program
from judging import first_code, judged


@pytest.mark.slow
@pytest.mark.parametrize("name", ["padding_left_out", "padding_of_the_maximum"])
def test_a_value_that_one_case_takes_by_chance_is_not_named(judge, name):
    """0 is neutral for the minimum of negative numbers alone; infinity is for all."""
    verdict = judged(judge, wrong_program("masked_tail", name), "masked_tail")
    assert first_code(verdict) == "missing-mask"
    assert "with inf in them" in verdict.diagnosis[0].message
