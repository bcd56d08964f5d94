"""The load of the days: a review falls on the lightest day that its interval allows.

An interval may be a few days longer than FSRS-6 says (`fsrs.widest_fuzz`). Among these days the one is
chosen on which least is due, and a day that the learner wants to be easy only if all of them are. The
choice is kept with the review, so every replay gets the same day, whatever else was due then.
Anki does the same (ankitects/anki, rslib/src/scheduler/states/load_balancer.rs, from 24.11 on).
"""

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from tutor.memory.schedule.cards import Event, fold
from tutor.memory.schedule.fsrs import Rules
from tutor.memory.schedule.ratings import RATINGS
from tutor.memory.store.rows import CardId
from tutor.memory.store.settings import get_setting, read_weekdays

_LONGER_THAN_ALL = "99999"
# What is due on each day but that card, in minutes; a question or term counts for a third of one
_DUE = (
    "SELECT c.due, total(CASE c.kind WHEN 'exercise' THEN max(i.minutes, 1) ELSE 1.0 / 3 END) "
    "FROM cards AS c JOIN items AS i ON i.id = c.id "
    "WHERE c.due BETWEEN ? AND ? AND NOT c.suspended AND NOT c.orphan AND c.stability IS NOT NULL "
    "AND NOT (c.kind = ? AND c.key = ?) GROUP BY c.due"
)


def choose_days(
    db: sqlite3.Connection, card: CardId, before: Sequence[Event], today: date, rules: Rules
) -> dict[int, date]:
    """Map each rating that a review of `today` can get to the day on which the card is due then.

    `before`: the card's events without that review, oldest first. A better rating never makes the card
    due sooner.
    """
    seed = f"{card.kind}:{card.key}"
    ranges = {rating: _range(before, today, rating, seed, rules) for rating in RATINGS}
    first = min(earliest for earliest, _ in ranges.values())
    last = max(latest for _, latest in ranges.values())
    rows = db.execute(_DUE, (first.isoformat(), last.isoformat(), *card)).fetchall()
    load = {date.fromisoformat(day): minutes for day, minutes in rows}
    easy = read_weekdays(get_setting(db, "easy_days"))
    chosen: dict[int, date] = {}
    least = first
    for rating, (earliest, latest) in ranges.items():
        days = _days_between(max(earliest, least), latest) or [max(earliest, least)]
        chosen[rating] = least = choose_day(days, load, easy)
    return chosen


def choose_day(days: Sequence[date], load: Mapping[date, float], easy: frozenset[int]) -> date:
    """Return the day with the least load in minutes, the earliest of equal ones.

    `easy`: the weekdays that the learner wants to be easy, 0 for Monday. One of them is returned only if
    there is no other.
    """
    return min(days, key=lambda day: (day.weekday() in easy, load.get(day, 0.0), day))


def _range(
    before: Sequence[Event], today: date, rating: int, seed: str, rules: Rules
) -> tuple[date, date]:
    """Return the first and the last day on which the card may be due after that rating."""
    ends = []
    for wanted in ("0", _LONGER_THAN_ALL):
        card = fold([*before, Event(today, "review", rating, value=wanted)], seed, rules)
        assert card is not None
        ends.append(card.due)
    return ends[0], ends[1]


def _days_between(first: date, last: date) -> list[date]:
    return [first + timedelta(days=more) for more in range((last - first).days + 1)]
