"""The way of an answer into the record: graded with what the machine finds, stored with its grade."""

from dataclasses import replace
from pathlib import Path

import pytest
from clock import Clock

from tutor.course.catalog.course import open_course
from tutor.course.model import AskedQuestion, Question, as_asked
from tutor.course.reading.variants import draw_variant
from tutor.memory.answers import GivenAnswer
from tutor.memory.question_choice import lesson_to_ask, to_ask, to_ask_in_lesson
from tutor.memory.record import Record, open_record
from tutor.memory.store.rows import CardId

COURSE = open_course()


def question(kind: str) -> AskedQuestion:
    quizzes = (COURSE.quiz(day.day) for day in COURSE.days)
    return draw_variant(
        next(q for quiz in quizzes if quiz for q in quiz.questions if q.kind == kind)
    )


def record(folder: Path) -> Record:
    return open_record(folder / "record.sqlite3", Clock())


def test_an_answer_is_kept_with_its_grade_and_proposes_a_rating(tmp_path: Path) -> None:
    asked, kept = question("choice"), record(tmp_path)
    given = GivenAnswer(asked, asked.answer, confidence=5, seconds=7.0)
    row = kept.activity.answer(given, given.grade(), "review")
    last = kept.activity.last_answer(asked.id)
    assert last is not None
    assert (last.id, last.day, last.value) == (row, asked.day, asked.answer)
    assert (last.right, last.credit, last.confidence, last.seconds) == (True, 1.0, 5, 7.0)
    assert kept.reviews.find_rating(row) == 4
    kept.close()


def test_an_answer_that_nobody_can_grade_yet_makes_no_card(tmp_path: Path) -> None:
    asked, kept = question("choice"), record(tmp_path)
    kept.activity.answer(GivenAnswer(asked, asked.answer), None, "predict", day=3)
    last = kept.activity.last_answer(asked.id)
    assert last is not None
    assert (last.day, last.right, last.credit) == (3, None, 0.0)
    assert kept.reviews.card(CardId("question", asked.id)) is None
    kept.close()


def test_the_machine_is_asked_only_where_the_answer_depends_on_it() -> None:
    plain = question("choice")
    asked = replace(plain, answer=None, answer_from="found")
    calls: list[AskedQuestion] = []

    def compute(which: AskedQuestion, _: object) -> str:
        calls.append(which)
        return str(plain.answer)

    given = GivenAnswer(asked, plain.answer)
    assert given.grade(compute).right
    assert calls == [asked]
    assert given.grade().right is None
    assert GivenAnswer(plain, None).grade(compute).right is False
    assert len(calls) == 1


def test_the_numbers_of_a_variant_are_kept(tmp_path: Path) -> None:
    quizzes = (COURSE.quiz(day.day) for day in COURSE.days)
    varied = next(q for quiz in quizzes if quiz for q in quiz.questions if q.params)
    asked, kept = draw_variant(varied, 1), record(tmp_path)
    given = GivenAnswer(asked, None)
    kept.activity.answer(given, given.grade(), "quiz")
    last = kept.activity.last_answer(asked.id)
    assert last is not None
    assert last.params == asked.numbers
    kept.close()


def test_the_order_of_options_stays_until_there_is_an_answer(tmp_path: Path) -> None:
    asked, kept = question("match"), record(tmp_path)
    orders = []
    for _ in range(6):
        shown = to_ask(kept, asked)
        assert shown == to_ask(kept, asked)
        orders.append(tuple(shown.right.values()))
        given = GivenAnswer(shown, shown.answer)
        kept.activity.answer(given, given.grade(), "review")
        last = kept.activity.last_answer(asked.id)
        assert last is not None
        assert (last.value, last.right) == (asked.answer, True)
    assert len(set(orders)) > 1
    kept.close()


def test_a_lesson_asks_with_the_numbers_of_the_answer_else_with_the_first() -> None:
    drill = Question("d", "number", "{n} bytes?", "", 1, answer="4 * n", params={"n": (16, 64)})
    for numbers, n in ((None, 16), ({"n": 64}, 64), ({"n": 5}, 16)):
        asked = to_ask_in_lesson(drill, numbers)
        assert (asked.prompt, asked.answer, asked.numbers) == (f"{n} bytes?", 4 * n, {"n": n})
        assert as_asked(asked) is asked
    with pytest.raises(TypeError, match="was not drawn"):
        as_asked(drill)


def test_the_predictions_of_a_lesson_keep_their_order_and_its_cells() -> None:
    lesson = COURSE.lesson(15)
    assert lesson is not None
    shown = lesson_to_ask(lesson)
    assert shown == lesson_to_ask(lesson)
    assert all(a is b for a, b in zip(shown.cells, lesson.cells, strict=True))
    changed = [
        a.question != b.question for a, b in zip(shown.predictions, lesson.predictions, strict=True)
    ]
    assert any(changed)
