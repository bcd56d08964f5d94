"""A review falls on the lightest day that its interval allows, and away from the learner's easy days."""

from collections import Counter
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest
from clock import Clock
from hypothesis import given
from hypothesis import strategies as st

from tutor.base.errors import UsageError
from tutor.memory.record import Record, open_record
from tutor.memory.schedule.cards import Event, fold
from tutor.memory.schedule.course_items import Item
from tutor.memory.schedule.fsrs import Rules, widest_fuzz
from tutor.memory.schedule.load import choose_day
from tutor.memory.schedule.ratings import EASY, RATINGS
from tutor.memory.store.rows import CardId
from tutor.memory.store.settings import read_weekdays

FRIDAY = date(2026, 11, 20)
WEEK = [FRIDAY + timedelta(days=more) for more in range(7)]
NO_DAY: frozenset[int] = frozenset()


def q(number: int) -> CardId:
    return CardId("question", f"q{number}")


def due(record: Record, card: CardId) -> date:
    state = record.reviews.card(card)
    assert state is not None
    return state.due


def review_together(record: Record, clock: Clock, count: int) -> Counter[date]:
    """Let cards be learnt and remembered on the same days. Count them by the day they are due."""
    for rating in (EASY, EASY):
        for number in range(count):
            record.reviews.rate(q(number), rating)
        clock.now = clock.now.replace(day=1, month=12) + timedelta(days=10)
    return Counter(due(record, q(number)) for number in range(count))


def test_the_lightest_day_is_chosen_and_the_earliest_of_equal_ones() -> None:
    assert choose_day(WEEK, {}, NO_DAY) == FRIDAY
    assert choose_day(WEEK, {FRIDAY: 2.0, WEEK[1]: 1.0, WEEK[2]: 1.0}, NO_DAY) == WEEK[3]
    assert choose_day(WEEK[:3], {FRIDAY: 2.0, WEEK[1]: 1.0, WEEK[2]: 1.0}, NO_DAY) == WEEK[1]


def test_an_easy_day_is_chosen_only_if_all_are_easy() -> None:
    weekend = read_weekdays("Sat, sunday")
    assert weekend == {5, 6}
    assert choose_day(WEEK[1:4], {WEEK[3]: 90.0}, weekend) == WEEK[3]
    assert choose_day(WEEK[1:3], {WEEK[1]: 9.0}, weekend) == WEEK[2]


def test_cards_learnt_together_are_spread_evenly(record: Record, clock: Clock) -> None:
    counts = review_together(record, clock, 40)
    assert len(counts) >= 4
    assert max(counts.values()) - min(counts.values()) <= 1
    before = {number: due(record, q(number)) for number in range(40)}
    record.rebuild()
    assert {number: due(record, q(number)) for number in range(40)} == before


def test_reviews_avoid_the_easy_days(record: Record, clock: Clock) -> None:
    record.settings.set("easy_days", "sat sun")
    counts = review_together(record, clock, 40)
    assert not [day for day in counts if day.weekday() >= 5]


def test_an_exercise_weighs_its_minutes(record: Record) -> None:
    exercise = CardId("exercise", "vector_add")
    item = Item(exercise, "vector_add", 22, 2, (), "", "v1", minutes=20)
    record.course_items.update((item,), "stamp")
    for card in (exercise, q(1), q(2), q(3)):
        record.reviews.rate(card, EASY)
    assert due(record, exercise) not in {due(record, q(number)) for number in (1, 2, 3)}


def test_another_record_gets_the_days_that_were_chosen(
    record: Record, clock: Clock, tmp_path: Path
) -> None:
    review_together(record, clock, 9)
    record.export(tmp_path / "all.jsonl")
    with closing(open_record(tmp_path / "other.sqlite3", clock)) as other:
        other.merge((tmp_path / "all.jsonl").read_text("utf-8").splitlines(), "all.jsonl")
        assert [due(other, q(n)) for n in range(9)] == [due(record, q(n)) for n in range(9)]


histories = st.lists(st.tuples(st.sampled_from(RATINGS), st.integers(1, 400)), max_size=8)


@given(histories, st.sampled_from(RATINGS), st.text(max_size=8) | st.integers(0, 10**7).map(str))
def test_no_value_moves_a_card_out_of_its_range(
    history: list[tuple[int, int]], rating: int, value: str
) -> None:
    day, events = FRIDAY, []
    for given_rating, gap in history:
        events.append(Event(day, "review", given_rating))
        day += timedelta(days=gap)
    ends = []
    for wanted in ("0", value, "99999"):
        card = fold([*events, Event(day, "review", rating, value=wanted)], "question:q", Rules())
        assert card is not None
        ends.append((card.due - day).days)
    shortest, days, longest = ends
    assert shortest <= days <= longest <= shortest + widest_fuzz(shortest)


def test_a_better_rating_never_makes_a_card_due_sooner(record: Record, clock: Clock) -> None:
    review_together(record, clock, 25)
    for number in range(25):
        days = list(record.reviews.preview(q(number)).values())
        assert days == sorted(days)


@pytest.mark.parametrize("value", ["sa", "caturday", "mon;tue", 6, None])
def test_other_words_than_weekdays_are_refused(record: Record, value: object) -> None:
    with pytest.raises(UsageError, match="easy_days must be weekdays such as sat sun"):
        record.settings.set("easy_days", value)
