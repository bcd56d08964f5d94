"""The share of a day that is known: an answer counts on a later day, right and without help."""

from functools import cache

import pytest
from answering import keep_answer
from clock import Clock

from tutor.commands.stats import statistics_lines
from tutor.course.catalog.course import open_course
from tutor.course.catalog.overview import DayOverview
from tutor.memory.course_sync import enter_lesson
from tutor.memory.placement import Standing, read_standing
from tutor.memory.record import Record
from tutor.memory.store.rows import CardId, JudgedProgram
from tutor.ui.home.day_marks import day_state, phase_map
from tutor.ui.review.statistics_text import draw_strengths

COURSE = open_course()


@cache
def day_1() -> DayOverview:
    return next(day for day in COURSE.overview().days if day.day == 1)


def read_day_1(record: Record) -> None:
    for section in range(len(day_1().sections)):
        record.activity.section_read(1, section)
    enter_lesson(record, COURSE, 1)


def answer_quiz(record: Record, right: int) -> list[str]:
    """Answer Day 1's quiz, the first `right` questions right and the rest not at all."""
    quiz = COURSE.quiz(1)
    assert quiz is not None
    for number, question in enumerate(quiz.questions):
        good = number < right
        keep_answer(record, question.id, 1, None, good, float(good), None, 5.0, "quiz")
    return [question.id for question in quiz.questions]


def of_day_1(record: Record) -> float | None:
    return read_standing(record).known.get(1)


def rows_of(at: Standing) -> list[str]:
    return phase_map(COURSE.overview(), at).plain.split("\n")


@pytest.mark.slow
def test_a_failed_quiz_right_after_the_lesson_is_not_called_known(record: Record) -> None:
    """The first history of the review: Day 1 read, 2 of 12 answers right."""
    read_day_1(record)
    answer_quiz(record, right=2)
    keep_answer(record, "d15-p0", 15, 1, True, 1.0, None, 5.0, "placement")
    at = read_standing(record)
    mark, _, words = day_state(day_1(), at)
    assert (mark, words) == ("■", "read, 2 of 12 right")
    assert at.known == {}
    first, second = rows_of(at)[:2]
    assert "1/14" in first
    assert "0/14" in second
    assert "%" not in first + second
    found = record.statistics.compute(record.today())
    assert "asked on a later day" in draw_strengths(found, 80).plain
    weakest = "\n".join(statistics_lines(found)).split("Weakest topics")[1].split("Confidence")[0]
    assert "%" not in weakest


@pytest.mark.slow
def test_cards_failed_on_the_next_day_lower_what_is_known(record: Record, clock: Clock) -> None:
    """The second history: on the next day some cards are right, then five are failed."""
    read_day_1(record)
    asked = answer_quiz(record, right=12)
    clock.forward(days=1)
    for key in asked[:7]:
        keep_answer(record, key, 1, "x", True, 1.0, None, 5.0, "review")
    before = of_day_1(record)
    assert before is not None
    for key in asked[7:]:
        keep_answer(record, key, 1, None, False, 0.0, None, 5.0, "review")
        record.reviews.rate(CardId("question", key), 3)  # asked again a minute later: too soon
    after = of_day_1(record)
    cards = next(d.cards for d in record.statistics.compute(record.today()).days if d.name == "1")
    assert after == before == pytest.approx(7 / cards)
    assert cards > 12 + len(
        day_1().exercises
    )  # its terms, predictions and unwritten kernels as well
    assert day_state(day_1(), read_standing(record))[2] == f"read, {after:.0%} known"
    assert f"1/14  {after:.0%}" in rows_of(read_standing(record))[0]
    found = record.statistics.compute(record.today())
    assert draw_strengths(found, 80).plain.startswith("How much of each topic is known")
    day = next(line for line in statistics_lines(found) if line.strip().startswith("Day 1 "))
    assert f"{after:.0%}" in day
    assert f"{cards - len(day_1().exercises)} cards, 1 exercise to write" in day
    clock.forward(days=3)
    keep_answer(record, asked[0], 1, None, False, 0.0, None, 5.0, "quiz")  # a quiz lowers it
    lower = of_day_1(record)
    assert lower is not None
    assert lower < after - 0.9 / cards


@pytest.mark.slow
def test_known_falls_with_time_and_needs_a_right_answer(record: Record, clock: Clock) -> None:
    card = CardId("question", answer_quiz(record, right=0)[0])
    clock.forward(days=1)
    partly = keep_answer(record, card.key, 1, "x", False, 0.5, None, 5.0, "review")
    record.reviews.rate(card, 3, answer=partly)  # the learner's rating makes no answer right
    assert of_day_1(record) in (None, 0.0)
    clock.forward(days=1)
    record.reviews.rate(card, 3)
    chance = record.statistics.compute(record.today())
    assert chance.cards["question"] == 12
    read_day_1(record)
    first = of_day_1(record)
    clock.forward(days=60)
    later = of_day_1(record)
    assert first is not None
    assert later is not None
    assert 0 < later < first


def test_a_kernel_passed_again_counts_only_without_a_hint(record: Record, clock: Clock) -> None:
    read_day_1(record)
    slug = day_1().exercises[0]
    passed = {"exercise": slug, "source": "x", "verdict": {}, "passed": True, "device": "cpu"}
    record.activity.attempt(JudgedProgram(**passed))
    clock.forward(days=30)
    record.activity.hint_shown(slug, 1)
    record.activity.attempt(JudgedProgram(**passed))
    assert of_day_1(record) == 0.0
    clock.forward(days=30)
    record.activity.attempt(JudgedProgram(**passed))
    share = of_day_1(record)
    assert share is not None
    assert share > 0
