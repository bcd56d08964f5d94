"""The share of the cards of each topic and day that the learner knows, for home and the statistics."""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from tutor.memory.schedule.fsrs import recall, rules_in_use
from tutor.memory.schedule.replaced_items import those_of

# For each card: the day on which it was met, and whether everything on the day of its last review
# was right and without help. Repeats after a wrong answer are of the same day, so they do not count.
_LAST_DAY = """
SELECT c.id, c.stability, c.last_review,
    (SELECT study_day FROM card_events WHERE card {those} ORDER BY at, id LIMIT 1),
    (SELECT min(e.rating > 1 AND coalesce(a.correct, 1) AND NOT (
        e.attempt IS NOT NULL AND EXISTS (
            SELECT 1 FROM hints WHERE exercise = c.key AND after_pass IS (
                SELECT max(id) FROM attempts
                WHERE exercise = c.key AND passed AND id < e.attempt))))
    FROM card_events AS e LEFT JOIN answers AS a ON a.id = e.answer
    WHERE e.card {those} AND e.at >= date(c.last_review, '-2 days')  -- the index has `at`
        AND e.study_day = c.last_review AND e.action = 'review'
        AND e.origin <> 'cram' AND NOT EXISTS (
            SELECT 1 FROM card_events AS u
            WHERE u.action = 'undo' AND u.value = CAST(e.uid AS TEXT)))
FROM cards AS c WHERE NOT c.orphan
"""


@dataclass(frozen=True)
class Strength:
    """The cards of a topic or a day, with the exercises that are `to_write`, which have no card yet.
    `known`: the share of all these, 0 to 1, that is known (`compute_chances`); None until one was asked
    on a later day than it was met."""

    name: str
    cards: int
    known: float | None
    to_write: int = 0


def compute_chances(db: sqlite3.Connection, today: date) -> dict[int, float | None]:
    """Map each card to the chance, 0 to 1, that the learner knows it today.

    It is None until the card was asked on a later day than it was met: an answer that was just read
    proves nothing. It is 0 if the last answer was wrong or partly right, or needed a hint; else it is
    the chance to recall it.
    """
    rules = rules_in_use(db)
    by_card: dict[int, float | None] = {}
    query = _LAST_DAY.format(those=those_of(db, "c.id"))
    for id_, stability, last, met, right in db.execute(query):
        if last is None or last <= met:
            by_card[id_] = None
        elif right:
            days = (today - date.fromisoformat(last)).days
            by_card[id_] = recall(stability, days, rules)
        else:
            by_card[id_] = 0.0
    return by_card


def rate_topics(db: sqlite3.Connection, known: dict[int, float | None]) -> tuple[Strength, ...]:
    """The weakest topic first. `known` is the result of `compute_chances`."""
    rows = db.execute("SELECT topic, item FROM topics")
    strengths = _strengths((row for row in rows if row[1] in known), known)
    return tuple(sorted(strengths, key=lambda s: (s.known is None, s.known, s.name)))


def rate_days(db: sqlite3.Connection, known: dict[int, float | None]) -> tuple[Strength, ...]:
    """In the order of the course. A day's exercises count as its cards before they are written."""
    rows = db.execute(
        "SELECT day, id FROM items WHERE day > 0 AND (id IN (SELECT id FROM cards WHERE NOT orphan) "
        "OR (kind = 'exercise' AND present)) ORDER BY day"
    ).fetchall()
    begun = {day for day, item in rows if item in known}
    return _strengths((row for row in rows if row[0] in begun), known)


def known_by_day(db: sqlite3.Connection, today: date) -> dict[int, float]:
    """Map each day of the course with a `Strength.known` to it."""
    days = rate_days(db, compute_chances(db, today))
    return {int(day.name): day.known for day in days if day.known is not None}


def _strengths(
    rows: Iterable[tuple[Any, int]], known: dict[int, float | None]
) -> tuple[Strength, ...]:
    groups: dict[str, list[float | None]] = {}
    to_write: Counter[str] = Counter()
    for name, item in rows:
        groups.setdefault(str(name), []).append(known.get(item))
        to_write[str(name)] += item not in known
    return tuple(
        Strength(
            name,
            len(group),
            None
            if all(chance is None for chance in group)
            else sum(chance or 0.0 for chance in group) / len(group),
            to_write[name],
        )
        for name, group in groups.items()
    )
