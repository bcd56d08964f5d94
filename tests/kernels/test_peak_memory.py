"""Each wrong answer to `peak_memory` is told its own mistake."""

from collections import Counter
from typing import Any

import pytest
import torch

from tutor.course.catalog.course import open_course
from tutor.course.reading.wrong_answers import read_wrong_answers, wrong_answer
from tutor.judge.cases.reference import load_reference

FOLDER = open_course().exercise("peak_memory").folder
SAID = {
    "a_view_holds_nothing": "a view of it is still read",
    "a_view_is_a_storage": "a line without a size counts as new memory",
    "end_of_the_last_line": "what is alive at the last line",
    "freed_before_the_result": "freed before its result counts",
    "inputs_are_freed": "an input is freed after its last use",
    "inputs_from_their_line": "an input counts from its own line on",
    "largest_storage": "the first number is the largest storage",
    "nothing_is_freed": "nothing is ever freed",
    "only_the_first_returned": "only the first name after `return`",
    "returned_are_freed": "what `return` names is freed",
    "unread_results_stay": "a result that no line reads",
}
# No mistakes of `SLIPS`: what is seen is said.
UNNAMED = {
    "a_storage_for_each_returned",
    "a_view_of_the_second",
    "in_place_keeps_the_name",
    "reads_nothing_so_an_input",
    "rounded_to_float64",
    "sizes_by_name",
    "two_arguments_at_most",
    "two_returned_at_most",
    "views_by_name_or_size",
    "views_by_their_names",
}


def _defined(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(code, names)
    return names


def test_every_wrong_answer_has_a_sentence() -> None:
    assert {answer.name for answer in read_wrong_answers(FOLDER)} == UNNAMED | set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_the_mistake_is_named(name: str) -> None:
    reference = load_reference(FOLDER / "reference.py")
    wrong = _defined(wrong_answer(FOLDER, name).code)["peak_memory"]
    named: Counter[str] = Counter()
    for case in reference.cases:
        program = case.make(torch.Generator().manual_seed(3))
        got = wrong(*program)
        if not torch.equal(got, reference.truth(*program)):
            named.update(reference.misses(got, reference.truth(*program), program))
    assert SAID[name] in named.most_common(1)[0][0]


def test_a_right_answer_has_no_mistake_and_an_unknown_one_no_sentence() -> None:
    reference = load_reference(FOLDER / "reference.py")
    program = ("x = input(): 512\ny = relu(x): 1024\nreturn y",)
    assert reference.truth(*program).tolist() == [1536, 1536]
    truth = reference.truth(*program)
    assert reference.misses(torch.tensor([7, 8]), truth, program) == ()
