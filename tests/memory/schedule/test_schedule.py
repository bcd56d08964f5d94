"""What becomes a card, when it is due, and that the schedule follows from the rows alone."""

import importlib.metadata
import sqlite3
from contextlib import closing
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from answering import keep_answer
from clock import Clock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tutor.memory.record import Record, open_record
from tutor.memory.schedule.cards import Card, Event, fold
from tutor.memory.schedule.due import due_keys
from tutor.memory.schedule.fsrs import Rules, fuzz
from tutor.memory.schedule.ratings import AGAIN, EASY, GOOD, HARD, rating_of_answer
from tutor.memory.store.rows import JudgedProgram
from tutor.memory.store.study_day import noon_utc, study_day

DAY = date(2026, 11, 20)


def days(count: int) -> date:
    return DAY + timedelta(days=count)


def reviewed(*ratings: tuple[int, date], seed: str = "question:q") -> Card:
    card = fold([Event(day, "review", rating) for rating, day in ratings], seed, Rules())
    assert card is not None
    return card


def answer(record: Record, right: bool | None, origin: str = "quiz", **more: Any) -> None:
    given: dict[str, Any] = {"credit": float(bool(right)), "confidence": None, **more}
    keep_answer(record, "q", 22, "a", right, seconds=3.0, origin=origin, **given)


def cards(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(
            "SELECT kind, key, stability, difficulty, due, last_review, reviews, lapses, algorithm "
            "FROM cards ORDER BY kind, key"
        ).fetchall()


def test_the_algorithm_stored_is_the_one_installed() -> None:
    assert Rules().algorithm.startswith(f"fsrs {importlib.metadata.version('fsrs')},")


@pytest.mark.parametrize(
    ("right", "credit", "confidence", "rating"),
    [
        (False, 0.0, 5, AGAIN),
        (False, 0.5, None, HARD),
        (True, 1.0, None, GOOD),
        (True, 1.0, 4, GOOD),
        (True, 1.0, 5, EASY),
        (None, 0.7, 5, None),
    ],
)
def test_rating(right: bool | None, credit: float, confidence: int, rating: int) -> None:
    assert rating_of_answer(right, credit, confidence) == rating


@pytest.mark.parametrize(("rating", "interval"), [(AGAIN, 1), (HARD, 1), (GOOD, 2), (EASY, 8)])
def test_first_intervals_are_those_of_fsrs_6(rating: int, interval: int) -> None:
    card = reviewed((rating, DAY))
    assert card.due == days(interval + fuzz(interval, "question:q", 0))


def test_a_night_between_two_reviews_counts_as_a_day(record: Record, clock: Clock) -> None:
    """Reviewed at 21:00 and at 09:00 the next morning: twelve hours, but one sleep."""
    clock.now = datetime(2026, 11, 20, 21, tzinfo=timezone.utc)
    answer(record, False)
    clock.now = datetime(2026, 11, 21, 9, tzinfo=timezone.utc)
    assert due_keys(record.log.connection, "question", study_day(clock.now)) == ("q",)
    answer(record, True, "review")
    grown = reviewed((AGAIN, DAY), (GOOD, days(1))).stability
    before = reviewed((AGAIN, DAY)).stability
    assert grown is not None
    assert before is not None
    assert cards(record.path)[0][2] == grown > before


@pytest.mark.parametrize(
    ("local", "day"),
    [
        ("2026-11-21 03:59", DAY),
        ("2026-11-21 04:00", days(1)),
        ("2026-11-20 23:30", DAY),
        # the clocks of Berlin: forward on 29 March, back on 25 October 2026
        ("2026-03-29 03:59", date(2026, 3, 28)),
        ("2026-03-29 04:00", date(2026, 3, 29)),
        ("2026-10-25 03:59", date(2026, 10, 24)),
        ("2026-10-25 04:00", date(2026, 10, 25)),
    ],
)
def test_the_study_day_ends_at_four_by_the_wall_clock(local: str, day: date) -> None:
    moment = datetime.fromisoformat(local).replace(tzinfo=ZoneInfo("Europe/Berlin"))
    assert study_day(moment) == day


def test_days_are_whole_days_for_the_scheduler() -> None:
    assert noon_utc(days(1)) - noon_utc(DAY) == timedelta(days=1)
    assert noon_utc(DAY).tzinfo is timezone.utc  # fsrs refuses any other


def test_a_right_answer_in_a_quiz_makes_no_card(record: Record) -> None:
    answer(record, True)
    answer(record, None)
    assert record.reviews.due(days(9999)).questions == 0


def test_a_wrong_answer_makes_a_card_that_is_due_tomorrow(record: Record) -> None:
    answer(record, False)
    assert record.reviews.due(DAY).questions == 0
    assert record.reviews.due(DAY).next == days(1)
    assert record.reviews.due(days(1)).questions == 1
    assert record.reviews.due(days(1)).next is None


def test_a_review_makes_a_card_of_a_right_answer(record: Record) -> None:
    answer(record, True, "review", confidence=5)
    assert record.reviews.due(DAY).next == reviewed((EASY, DAY)).due


def test_only_the_first_answer_of_a_day_counts(record: Record) -> None:
    answer(record, False)
    before = cards(record.path)
    answer(record, True, "review")
    answer(record, False, "review")
    assert cards(record.path) == before


def test_an_answer_after_the_clock_went_back_is_harmless(record: Record, clock: Clock) -> None:
    answer(record, False)
    clock.forward(days=-3)
    answer(record, False)
    assert record.reviews.due(days(1)).questions == 1


def attempt(record: Record, passed: bool) -> None:
    record.activity.attempt(
        JudgedProgram("vector_add", "def add(): ...", {"passed": passed}, passed, "cpu")
    )


def test_an_exercise_becomes_a_card_when_it_first_passes(record: Record) -> None:
    for _ in range(5):
        attempt(record, False)
    assert record.reviews.due(days(9999)).kernels == 0
    attempt(record, True)
    assert record.reviews.due(DAY).next == days(2)  # Good: failing while learning costs nothing
    assert record.reviews.due_exercises(days(2)) == ("vector_add",)
    assert record.activity.passed_exercises() == {"vector_add"}


@pytest.mark.parametrize(("hints", "rating"), [(1, HARD), (2, HARD), (3, AGAIN)])
def test_hints_lower_the_rating(record: Record, hints: int, rating: int) -> None:
    for level in range(1, hints + 1):
        record.activity.hint_shown("vector_add", level)
    assert record.activity.hints_shown("vector_add") == hints
    attempt(record, True)
    assert cards(record.path)[0][2] == reviewed((rating, DAY)).stability
    assert record.activity.hints_shown("vector_add") == 0  # the next time starts without


def test_hints_that_were_shown_stay_known_until_the_exercise_is_due(
    record: Record, clock: Clock
) -> None:
    assert record.activity.hints_known("vector_add") == 0
    record.activity.hint_shown("vector_add", 1)
    record.activity.hint_shown("vector_add", 2)
    attempt(record, True)
    assert record.activity.hints_known("vector_add") == 2
    due = record.reviews.due(DAY).next
    assert due is not None
    clock.forward(days=(due - DAY).days)
    assert record.activity.hints_known("vector_add") == 0
    record.activity.hint_shown("vector_add", 1)
    assert record.activity.hints_known("vector_add") == 1


def test_an_exercise_that_is_due_stays_so_until_it_passes(record: Record, clock: Clock) -> None:
    attempt(record, True)
    clock.forward(days=1)
    before = cards(record.path)
    attempt(record, True)  # a day early: practice
    attempt(record, False)
    assert cards(record.path) == before
    clock.forward(days=1)
    attempt(record, False)
    assert record.reviews.due_exercises(days(2)) == ("vector_add",)
    attempt(record, True)
    assert record.reviews.due_exercises(days(2)) == ()
    after = reviewed((GOOD, DAY), (HARD, days(2)))
    assert cards(record.path)[0][2] == after.stability


events = st.lists(
    st.one_of(
        st.tuples(
            st.just("answer"),
            st.sampled_from("pqr"),
            st.sampled_from([True, False, None]),
            st.sampled_from([0.0, 0.5]),
            st.none() | st.integers(1, 5),
            st.sampled_from(["quiz", "predict", "review"]),
        ),
        st.tuples(st.just("attempt"), st.sampled_from("xy"), st.booleans()),
        st.tuples(st.just("hint"), st.sampled_from("xy"), st.integers(1, 3)),
        st.tuples(st.just("wait"), st.integers(-30, 400)),
    ),
    max_size=25,
)


@pytest.mark.slow
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(events)
def test_a_replay_gives_the_same_cards(
    tmp_path_factory: pytest.TempPathFactory, events: list[Any]
) -> None:
    path = tmp_path_factory.mktemp("replay") / "record.sqlite3"
    clock = Clock()
    record = open_record(path, clock)
    for name, *event in events:
        if name == "answer":
            question, right, part, confidence, origin = event
            credit = 1.0 if right else part
            keep_answer(record, question, 22, "a", right, credit, confidence, 1.0, origin)
        elif name == "attempt":
            record.activity.attempt(JudgedProgram(event[0], "…", {}, event[1], "cpu"))
        elif name == "hint":
            record.activity.hint_shown(*event)
        else:
            clock.forward(hours=event[0])
    before = cards(path)
    record.rebuild()
    assert cards(path) == before
    record.close()


def test_cards_of_other_rules_are_computed_anew(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "record.sqlite3"
    record = open_record(path, clock)
    answer(record, False)
    record.close()
    right = cards(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE cards SET algorithm = 'older', due = '2099-01-01'")
        db.commit()
    open_record(path, clock).close()
    assert cards(path) == right
