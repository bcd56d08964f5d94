"""An output that no element, or not every element, was stored to: where the stores went."""

import re
from pathlib import Path

import pytest
from course_answers import wrong_program
from judging import RIGHT, first_code, judged

KERNELS = Path(__file__).parents[3] / "kernels"
RETURNED = RIGHT.replace(
    "    tl.store(out_ptr + offsets, x + y, mask=mask)\n", "    return x + y\n"
)

SLIPS = {
    "it returns what it computed": (RETURNED, "has no `tl.store`"),
    "its mask lets nothing through": (
        RIGHT.replace("x + y, mask=mask", "x + y, mask=offsets < 0"),
        "stored nothing at all",
    ),
    "another tensor is returned": (
        RIGHT.replace("    return out\n", "    return torch.empty_like(out)\n"),
        "another tensor than the one that you return",
    ),
    "the grid is empty": (
        RIGHT.replace("(triton.cdiv(n, BLOCK),)", "(n // (n + 1),)"),
        "The grid is empty",
    ),
}


@pytest.mark.parametrize(("source", "words"), SLIPS.values(), ids=SLIPS.keys())
def test_what_became_of_the_stores_is_said(judge, source, words):
    assert source != RIGHT
    verdict = judged(judge, source, device="cpu")
    assert first_code(verdict) == "output-not-written", verdict.diagnosis
    assert words in verdict.diagnosis[0].message


def test_the_last_element_alone_is_named_although_a_case_has_no_other(judge):
    """Of one element nothing is stored; every other case shows that the last one is missing."""
    source = RIGHT.replace("mask = offsets < n\n", "mask = offsets < n - 1\n")
    verdict = judged(judge, source, device="cpu")
    assert first_code(verdict) == "output-not-written", verdict.diagnosis
    message = verdict.diagnosis[0].message
    assert "It is the last element alone in each of the" in message
    assert " to " not in message.partition("(case")[0]
    assert "element " in message.partition("(case")[0].lower()


@pytest.mark.parametrize("wrong", ["add_ten/first_element_only", "add_ten_blocks/one_program"])
def test_one_program_is_told_how_much_it_stored(judge, wrong):
    """A beginner who has not met masks is not asked for one."""
    exercise, _, name = wrong.partition("/")
    source = wrong_program(exercise, name)
    verdict = judged(judge, source, exercise, device="cpu")
    assert first_code(verdict) == "output-not-written", verdict.diagnosis
    message = verdict.diagnosis[0].message
    stored = re.search(
        r"One program accessed memory, and it stored (\d+) of (\d+) elements\.", message
    )
    assert stored, message
    assert 0 < int(stored[1]) < int(stored[2])
    assert "mask" not in message


@pytest.mark.parametrize("wrong", ["some_partials_never_written", "launched_in_the_wrong_order"])
def test_a_result_computed_from_memory_that_nothing_filled_is_told_so(judge, wrong):
    source = wrong_program("two_stage_sum", wrong)
    verdict = judged(judge, source, "two_stage_sum", device="cpu")
    assert first_code(verdict) == "output-not-written", verdict.diagnosis
    message = verdict.diagnosis[0].message
    assert (
        "Nothing was stored there, or a kernel read a place that nothing had been stored to"
        in message
    )
    assert "never stored" not in message
