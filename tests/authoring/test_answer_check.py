"""Answers that give themselves away, and slips that are none. Reads files only."""

from pathlib import Path

import pytest
import small_course

from tutor.authoring.answer_check import answer_warnings, slip_troubles
from tutor.authoring.check import faults
from tutor.course.catalog.course import open_course
from tutor.course.model import Question
from tutor.course.reading.variants import draw_all

QUESTION = """\
[[question]]
id = "d01-{id}"
kind = "choice"
prompt = "Which?"
explanation = "Because."
options = {{ {options} }}
answer = "b"
feedback = {{ a = "No.", c = "No." }}

"""
SLIPS = 'slips = { "11" = "You put the digits next to each other." }\n'


def course_with(folder: Path, *questions: str) -> Path:
    root = small_course.course(folder)
    (root / "quizzes" / "day-01.toml").write_text(small_course.QUIZ_HEAD + "".join(questions))
    (lesson,) = (root / "lessons").glob("day-01-*.md")
    lesson.write_text(lesson.read_text().replace('kind = "number"\n', f'kind = "number"\n{SLIPS}'))
    return root


def choice(id_: str, first: str, **texts: str) -> str:
    shown = {"a": "one", "b": "two", "c": "three"} | texts
    order = [first, *(key for key in shown if key != first)]
    return QUESTION.format(id=id_, options=", ".join(f'{key} = "{shown[key]}"' for key in order))


def warnings(root: Path | None = None) -> list[str]:
    """Return what is warned of answers, without the count of a day's drills."""
    return [str(each) for each in answer_warnings(open_course(root)) if each.field != "drill"]


def test_answers_at_one_place_are_warned_of(tmp_path: Path) -> None:
    root = course_with(tmp_path / "a", choice("p", "b"), choice("q", "b"), choice("r", "a"))
    (warning,) = warnings(root)
    assert "day-01.toml:4: answer: " in warning
    assert "2 of 3 are option 1 of their question" in warning
    assert faults(root) == ()
    one = course_with(tmp_path / "b", choice("p", "b"))  # a single answer stands somewhere
    assert warnings(one) == []


def test_an_order_without_its_pairs_is_warned_of(tmp_path: Path) -> None:
    order = """[[question]]
id = "d01-{0}"
kind = "order"
prompt = "Order."
explanation = "So."
items = {{ a = "x", b = "y" }}
answer = ["b", "a"]
slips = {{ "a b" = "No." }}
{1}
"""
    root = course_with(tmp_path, order.format("p", ""), order.format("q", 'before = "all"'))
    (warning,) = warnings(root)
    assert "before: expected the pairs that a right order keeps" in warning
    assert "(d01-p)" in warning


def test_a_right_option_that_is_much_the_longest_is_warned_of(tmp_path: Path) -> None:
    long = "it is the second of the three"
    (warning,) = warnings(course_with(tmp_path / "a", choice("p", "a", b=long)))
    assert "29 characters, the longest other 5 (d01-p)" in warning
    as_long = choice("p", "a", b=long, c="not the second of three")
    assert warnings(course_with(tmp_path / "b", as_long)) == []


NUMBER = small_course.QUESTION_HEAD + 'kind = "number"\nanswer = 3\n'
FILL = small_course.QUESTION_HEAD + 'kind = "fill"\ntext = "{1} {2}"\nanswer = ["x", "y"]\n'


@pytest.mark.parametrize(
    ("question", "slips", "said"),
    [
        (NUMBER, '"8" = "No."', ""),
        (NUMBER, '"3.0" = "No."', "slips.3.0: expected a wrong answer, found a right one"),
        (NUMBER, '"2..4" = "No."', "expected a wrong answer, found a right one"),
        (NUMBER, '"many" = "No."', "slips.many: expected an answer as a learner types it"),
        (FILL, '"x | z" = "No."', ""),
        (FILL, '"… | z" = "No."', ""),
        (FILL, '"… | y" = "No."', "found a right one"),
        (FILL, '"z" = "No."', "found Type 2 texts"),
    ],
)
def test_a_slip_is_a_wrong_answer_that_can_be_typed(
    tmp_path: Path, question: str, slips: str, said: str
) -> None:
    root = course_with(tmp_path, question + f"slips = {{ {slips} }}\n")
    found = [str(fault) for fault in faults(root)]
    assert len(found) == bool(said)
    assert all("day-01.toml:4: " in fault and said in fault for fault in found)


def test_other_kinds_have_no_slips(tmp_path: Path) -> None:
    root = course_with(tmp_path, choice("p", "a") + 'slips = { c = "No." }\n')
    (fault,) = faults(root)
    assert "slips: expected no such field" in str(fault)


PREDICT = (
    small_course.QUESTION_HEAD + 'kind = "predict"\nas = "{}"\ncode = "n = 3"\nanswer_from = "n"\n'
)


@pytest.mark.parametrize(
    ("question", "warned"),
    [(NUMBER, True), (FILL, True), (PREDICT.format("number"), True), (NUMBER + SLIPS, False)],
)
def test_a_question_without_a_likely_wrong_answer_is_warned_of(
    tmp_path: Path, question: str, warned: bool
) -> None:
    root = course_with(tmp_path, question)
    expected = "day-01.toml:4: slips: expected a likely wrong answer, found none (d01-q)"
    assert [w.endswith(expected) for w in warnings(root)] == [True] * warned
    assert faults(root) == ()


def test_a_prediction_without_a_likely_wrong_answer_is_warned_of(tmp_path: Path) -> None:
    (warning,) = warnings(small_course.course(tmp_path))
    assert "slips: expected a likely wrong answer, found none (d01-sum)" in warning


def test_the_course_warns_of_nothing_and_explains_likely_mistakes() -> None:
    course = open_course()
    assert answer_warnings(open_course()) == ()
    slips: dict[int, int] = {}
    for day in (1, 22):
        quiz, lesson = course.quiz(day), course.lesson(day)
        assert quiz is not None
        assert lesson is not None
        asked: list[Question] = [*quiz.questions, *(p.question for p in lesson.predictions)]
        slips[day] = sum(bool(question.slips) for question in asked)
        for question in asked:
            assert not [t for each in draw_all(question) for t in slip_troubles(each)]
    assert min(slips.values()) >= 5
    assert sum(slips.values()) >= 10
