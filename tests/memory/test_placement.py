"""Placed days, what a placement's answers schedule, days learnt, and what is still known."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from answering import keep_answer
from clock import Clock
from hypothesis import given
from hypothesis import strategies as st

from tutor.base.errors import UsageError
from tutor.memory.placement import read_standing, skip_days, take_back
from tutor.memory.record import open_record
from tutor.memory.schedule.fsrs import Rules, recall
from tutor.memory.store.rows import CardId
from tutor.memory.store.study_day import now


def test_placed_days_are_kept_until_they_are_opened(tmp_path: Path) -> None:
    record = open_record(tmp_path / "r.sqlite3", Clock())
    assert record.is_empty()
    skip_days(record, [15, 1])
    skip_days(record, [15, 22])
    assert read_standing(record).placed == {1, 15, 22}
    take_back(record, 15)
    take_back(record, 4)
    record.close()
    again = open_record(tmp_path / "r.sqlite3", Clock())
    assert read_standing(again).placed == {1, 22}
    assert not again.is_empty()
    with pytest.raises(UsageError, match="list of days"):
        again.settings.set("placed_days", [0])
    again.close()


def test_a_placement_schedules_what_is_known_and_nothing_else(tmp_path: Path) -> None:
    clock = Clock()
    record = open_record(tmp_path / "r.sqlite3", clock)
    keep_answer(record, "d01-known", 1, "a", True, 1.0, None, 5.0, "placement")
    keep_answer(record, "d01-unknown", 1, None, False, 0.0, None, 5.0, "placement")
    keep_answer(record, "d01-half", 1, ["a"], False, 0.5, None, 5.0, "placement")
    for key, there in (("d01-known", True), ("d01-unknown", False), ("d01-half", False)):
        assert (record.reviews.card(CardId("question", key)) is not None) == there
    card = record.reviews.card(CardId("question", "d01-known"))
    assert card is not None
    assert card.due > record.today() + timedelta(days=1), "known: not tomorrow"
    record.rebuild()
    assert record.reviews.card(CardId("question", "d01-known")) == card
    assert record.statistics.day_progress() == {}, "a placement is no quiz"
    record.close()


def test_days_learnt_are_those_with_work(tmp_path: Path) -> None:
    clock = Clock()
    record = open_record(tmp_path / "r.sqlite3", clock)
    record.activity.section_read(1, 0)
    clock.forward(days=1)
    record.activity.set_position(1, 1)  # a page was turned
    record.settings.set("new_per_day", 5)
    clock.forward(days=1)
    keep_answer(record, "q", 1, "a", True, 1.0, 3, 5.0, "quiz")
    record.activity.cell_run(1, 0, True)
    assert record.statistics.days_learnt() == (date(2026, 11, 20), date(2026, 11, 22))
    record.close()


@given(
    st.floats(0.001, 36500),
    st.integers(-3, 36500),
    st.one_of(st.none(), st.floats(0.1, 0.8)),
)
def test_the_forgetting_curve_is_the_packages_own(
    stability: float, days: int, decay: float | None
) -> None:
    import fsrs
    from fsrs.scheduler import DEFAULT_PARAMETERS

    parameters = None if decay is None else (*DEFAULT_PARAMETERS[:20], decay)
    scheduler = fsrs.Scheduler(parameters=parameters or DEFAULT_PARAMETERS)
    then = now()
    card = fsrs.Card(card_id=0, state=fsrs.State.Review, stability=stability, last_review=then)
    want = scheduler.get_card_retrievability(card, then + timedelta(days=days))
    assert recall(stability, days, Rules(parameters)) == pytest.approx(want)


def test_a_told_clock_goes_on_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTOR_NOW", "2026-11-21T19:30:00+01:00")
    first = now()
    assert first.isoformat().startswith("2026-11-21T")
    assert now() >= first
    for wrong in ("tomorrow", "2026-11-21T19:30"):
        monkeypatch.setenv("TUTOR_NOW", wrong)
        with pytest.raises(UsageError, match="TUTOR_NOW must be like"):
            now()
