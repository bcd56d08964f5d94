"""The answers of a class in groups, on the course's own solutions, right answers and wrong ones."""

import re

from tutor.course.catalog.course import open_course
from tutor.course.reading.wrong_answers import read_wrong_answers
from tutor.judge.repair.class_groups import ClassAnswer, group_answers, is_equal

COURSE = open_course()


def solution(slug: str) -> str:
    return COURSE.exercise(slug).solution.read_text(encoding="utf-8")


def renamed(source: str) -> str:
    """The same program by another hand: other names, a comment, other blank lines."""
    for old, new in [("offsets", "where_to"), ("BLOCK", "WIDTH"), ("row_stride", "step")]:
        source = re.sub(rf"\b{old}\b", new, source)
    return "# my own\n" + re.sub(r"\n\n\n", "\n\n", source)


def test_the_same_program_with_other_names_is_equal() -> None:
    source = solution("vector_add")
    other = renamed(source)
    assert other != source
    assert is_equal(source, other)
    assert not is_equal(source, other.replace("x + y", "x - y"))


def test_a_class_in_groups() -> None:
    source = solution("row_softmax")
    wrong = {
        answer.name: answer.code
        for answer in read_wrong_answers(COURSE.exercise("row_softmax").folder)
    }
    slip = source.replace("tl.max(", "tl.min(")
    assert slip != source
    change = "- top = tl.min(v, axis=0)\n+ top = tl.max(v, axis=0)"
    answers = [
        ClassAnswer("ada", source, True),
        ClassAnswer("bob", renamed(source), True),
        ClassAnswer("cyd", slip, False, change, "The smallest number is subtracted."),
        ClassAnswer("dan", renamed(slip), False, change.replace("top", "high"), ""),
        ClassAnswer("eve", solution("vector_add"), True),
        ClassAnswer("fay", "def f(:\n", False),
        ClassAnswer("gus", next(iter(wrong.values())), False, "- a\n+ b"),
    ]
    groups = group_answers(answers)
    assert groups.answers == 7
    assert groups.equal == (("ada", "bob"), ("cyd", "dan"))
    assert [slip.learners for slip in groups.slips] == [("cyd", "dan")]
    assert groups.slips[0].says == "The smallest number is subtracted."
    assert groups.unread == ("fay",)
    assert groups.approaches[-1] == ("eve",)
    assert {"ada", "bob", "cyd", "dan"} <= set(groups.approaches[0])


def test_a_slip_stays_with_the_program_that_it_was_made_in() -> None:
    """Wrong answers that edit the solution are one approach with it, in all but a few exercises."""
    apart = []
    for slug in ("vector_add", "row_softmax", "tiled_matmul", "flash_attention", "dead_code"):
        exercise = COURSE.exercise(slug)
        edits = [
            answer
            for answer in read_wrong_answers(exercise.folder)
            if not (exercise.folder / "wrong" / f"{answer.name}.py").exists()
        ]
        answers = [ClassAnswer("solution", solution(slug), True)]
        answers += [ClassAnswer(edit.name, edit.code, False) for edit in edits]
        approaches = group_answers(answers).approaches
        assert len(edits) >= 4
        apart += [name for group in approaches if "solution" not in group for name in group]
    assert len(apart) <= 2, apart
