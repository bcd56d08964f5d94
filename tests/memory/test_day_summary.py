"""What the end of a day says: its figures from the record."""

from dataclasses import replace
from datetime import date

import pytest
from answering import keep_answer
from clock import Clock

from tutor.base.day_text import format_day
from tutor.course.catalog.course import open_course
from tutor.memory.day_summary import (
    KernelResult,
    Score,
    day_summary,
    find_missed,
    predict_return,
    say_predictions,
)
from tutor.memory.first_pass import ordinal, say_first_pass
from tutor.memory.record import Record
from tutor.memory.store.rows import JudgedProgram

COURSE = open_course()
LESSON, QUIZ = COURSE.lesson(1), COURSE.quiz(1)
assert LESSON is not None
assert QUIZ is not None
PREDICTIONS = [predict.question for predict in LESSON.predictions]
QUESTIONS = QUIZ.questions


def answer(record: Record, question: str, right: bool | None, origin: str) -> None:
    keep_answer(record, question, 1, "said", right, float(bool(right)), None, 30.0, origin)


def test_at_night_the_next_day_is_todays_date(record: Record, clock: Clock) -> None:
    clock.now = clock.now.replace(hour=1)
    answer(record, QUESTIONS[0].id, False, "quiz")
    assert predict_return(record, QUESTIONS) == (
        "They return in your reviews: 1 today, from 4:00 on."
    )
    assert day_summary(record, 1, (), QUESTIONS, ()).begin == ", from 4:00 on"
    clock.forward(hours=-2)  # before midnight
    assert day_summary(record, 1, (), QUESTIONS, ()).begin == ""
    assert predict_return(record, QUESTIONS) == "They return in your reviews: 1 tomorrow."


def test_the_figures_of_a_day(record: Record, clock: Clock) -> None:
    asked = [replace(q, tags=("a", "b") if n % 2 else ("a",)) for n, q in enumerate(QUESTIONS)]
    answer(record, PREDICTIONS[0].id, True, "predict")
    answer(record, PREDICTIONS[1].id, False, "predict")
    for question, right in zip(asked[:4], (True, False, True, True), strict=True):
        clock.forward(minutes=2)
        answer(record, question.id, right, "quiz")
    times = {"timing": {"learner": {"median_ms": 0.5}}}
    faster = {"timing": {"learner": {"median_ms": 0.1}, "believed": False}}
    for verdict, passed in ((times, True), (faster, True), ({}, False)):
        record.activity.attempt(JudgedProgram("add_ten", "x", verdict, passed, "cpu"))
    record.activity.attempt(JudgedProgram("fused_chain", "x", {}, False, "cpu"))
    found = day_summary(record, 1, PREDICTIONS, asked, ["add_ten", "fused_chain"])
    assert found.predictions == Score(1, 2)
    assert found.questions == Score(3, 4)
    assert found.topics == (("b", Score(1, 2)), ("a", Score(3, 4)))
    assert found.kernels == (KernelResult("add_ten", True, 0.5), KernelResult("fused_chain", False))
    assert found.minutes == pytest.approx(8.5)
    assert (found.tomorrow, found.waiting) == (2, 0)  # the two wrong answers
    assert find_missed(record, asked) == (asked[1],)


def test_a_prediction_that_was_given_up_is_left_open(record: Record) -> None:
    for prediction in PREDICTIONS[:2]:
        keep_answer(record, prediction.id, 1, None, False, 0.0, None, 5.0, "predict")
    found = day_summary(record, 1, PREDICTIONS, [], [])
    assert (found.predictions, found.left_open) == (Score(), 2)
    assert say_predictions(found) == "2 left open"
    answer(record, PREDICTIONS[1].id, True, "review")
    found = day_summary(record, 1, PREDICTIONS, [], [])
    assert say_predictions(found) == "1 of 1 right, 1 left open"


def test_the_first_right_answer_has_its_sentence(record: Record) -> None:
    for program, passed, said in (
        ("wrong", False, ""),
        ("wrong", False, ""),  # the same program again is the same try
        ("right", True, "Right at the second try; it returns on "),
        ("right", True, ""),
    ):
        record.activity.attempt(JudgedProgram("add_ten", program, {}, passed, "cpu"))
        found = say_first_pass(record, "add_ten")
        assert found.startswith(said)
        assert bool(found) == bool(said)
    assert [ordinal(n) for n in (1, 5, 6, 11, 21, 112)] == [
        *("first", "fifth", "6th", "11th", "21st", "112th")
    ]


def test_a_quiz_is_taken_by_itself_only(record: Record) -> None:
    answer(record, QUESTIONS[0].id, False, "placement")
    assert day_summary(record, 1, [], QUESTIONS, []).questions == Score(0, 0)
    answer(record, QUESTIONS[0].id, True, "quiz")
    words = [replace(QUESTIONS[1], kind="open")]
    answer(record, words[0].id, None, "quiz")  # which its writer compares
    found = day_summary(record, 1, [], [QUESTIONS[0], *words], [])
    assert (found.questions, found.compared) == (Score(1, 1), 1)


def test_a_try_after_the_solution_changes_no_figure(record: Record) -> None:
    first = QUESTIONS[0]
    answer(record, first.id, False, "quiz")
    before = record.statistics.day_progress()
    answer(record, first.id, True, "retry")
    assert record.statistics.day_progress() == before
    assert day_summary(record, 1, (), QUESTIONS, ()).questions == Score(0, 1)
    assert find_missed(record, QUESTIONS) == ()  # but it is not asked once more


def test_a_day_of_another_year_is_named_with_it():
    """As where the clock was once set forward: "20 January" would be twelve years too early."""
    today = date(2026, 11, 28)
    assert format_day(date(2026, 12, 1), today) == "1 December"
    assert format_day(date(2038, 1, 20), today) == "20 January 2038"
