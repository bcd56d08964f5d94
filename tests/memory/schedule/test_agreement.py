"""The schedule is that of FSRS-6: held against replays by py-fsrs and by fsrs-rs, Anki's own."""

import random
from datetime import date, datetime, timedelta, timezone

import fsrs
import fsrs_rs_python as rs
import pytest
from fsrs.scheduler import DEFAULT_PARAMETERS
from hypothesis import given
from hypothesis import strategies as st

from tutor.memory.schedule.cards import Event, fold
from tutor.memory.schedule.fsrs import Rules, fuzz, memory_after, recall
from tutor.memory.schedule.ratings import AGAIN, RATINGS

DAY = date(2026, 1, 1)
FITTED = (*(p * 1.05 for p in DEFAULT_PARAMETERS[:20]), 0.3)
histories = st.lists(st.tuples(st.sampled_from(RATINGS), st.integers(1, 400)), max_size=15).map(
    lambda later: [(3, 0), *later]
)
rules = st.sampled_from([Rules(), Rules(FITTED), Rules(None, 0.8)])


def ours(history: list[tuple[int, int]], by: Rules) -> tuple[float, float]:
    day, events = DAY, []
    for rating, gap in history:
        day += timedelta(days=gap)
        events.append(Event(day, "review", rating))
    card = fold(events, "seed", by)
    assert card is not None
    assert card.stability is not None
    assert card.difficulty is not None
    return card.stability, card.difficulty


@given(histories, rules)
def test_as_py_fsrs_replays(history: list[tuple[int, int]], by: Rules) -> None:
    scheduler = fsrs.Scheduler(
        by.parameters or DEFAULT_PARAMETERS,
        by.retention,
        learning_steps=(),
        relearning_steps=(),
        enable_fuzzing=False,
    )
    moment = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    card = fsrs.Card(card_id=1, due=moment)
    for rating, gap in history:
        moment += timedelta(days=gap)
        card, _ = scheduler.review_card(card, fsrs.Rating(rating), moment)
    assert ours(history, by) == pytest.approx((card.stability, card.difficulty), rel=1e-5)


@given(histories, rules)
def test_as_fsrs_rs_replays(history: list[tuple[int, int]], by: Rules) -> None:
    model = rs.FSRS(list(by.parameters or DEFAULT_PARAMETERS))
    memory = model.memory_state(rs.FSRSItem([rs.FSRSReview(r, gap) for r, gap in history]))
    assert ours(history, by) == pytest.approx((memory.stability, memory.difficulty), rel=1e-5)


@given(st.floats(0.1, 5000), rules)
def test_recall_is_what_is_desired_when_a_card_falls_due(stability: float, by: Rules) -> None:
    assert recall(stability, 0, by) == 1
    assert recall(stability, 10, by) > recall(stability, 20, by)
    if by.retention == 0.9:
        assert recall(10.0, 10, by) == pytest.approx(0.9)


@given(st.integers(1, 36500), st.text(max_size=20), st.integers(0, 50))
def test_fuzz_never_shortens_and_stays_small(interval: int, seed: str, reviews: int) -> None:
    more = fuzz(interval, seed, reviews)
    assert more == fuzz(interval, seed, reviews)  # at every replay
    assert 0 <= more <= max(1, 0.5 * interval) * (interval > 2)
    # a longer interval, by a better rating, is never passed by a shorter one
    assert interval + more <= interval + 1 + fuzz(interval + 1, seed, reviews)


def test_fuzz_spreads_what_was_learnt_together() -> None:
    found = [fuzz(30, f"question:{i}", 4) for i in range(4000)]
    assert set(found) == {0, 1, 2, 3}
    assert all(found.count(days) > 800 for days in range(4))  # the ends as often as the middle


@given(histories)
def test_what_was_remembered_is_never_asked_sooner(history: list[tuple[int, int]]) -> None:
    """Reviewed when due, or late, each interval but one after Again is as long as the one before."""
    day, events, before = DAY, [], 0
    for rating, late in history:
        events.append(Event(day, "review", rating))
        card = fold(events, "question:q", Rules())
        assert card is not None
        interval = (card.due - day).days
        assert interval >= 1
        if rating != AGAIN:
            assert interval >= before
        before = interval
        day = card.due + timedelta(days=late % 5)


def test_the_cache_changes_nothing() -> None:
    draw = random.Random(3)
    calls = [
        (
            Rules(),
            draw.uniform(1, 90),
            draw.uniform(1, 10),
            draw.randrange(1, 90),
            draw.choice(RATINGS),
        )
        for _ in range(100)
    ]
    kept = [memory_after(*call) for call in calls]
    assert kept == [memory_after.__wrapped__(*call) for call in calls]
