"""The chance to recall the cards of each topic and day, for home and the statistics."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from tutor.memory.schedule.fsrs import recall, rules_in_use


@dataclass(frozen=True)
class Strength:
    """Cards of a topic or a day and the mean chance, 0 to 1, of recalling one now. New cards count
    in `cards` alone; `recall` is None where all are new."""

    name: str
    cards: int
    recall: float | None


def recalls(db: sqlite3.Connection, today: date) -> dict[int, float | None]:
    """Map each card to the chance to recall it today; None for a new card."""
    rules = rules_in_use(db)
    rows = db.execute("SELECT id, stability, last_review FROM cards WHERE NOT orphan")
    return {
        id_: None
        if stability is None
        else recall(stability, (today - date.fromisoformat(last)).days, rules)
        for id_, stability, last in rows
    }


def by_topic(db: sqlite3.Connection, known: dict[int, float | None]) -> tuple[Strength, ...]:
    """The weakest topic first."""
    found = _strengths(db.execute("SELECT topic, item FROM topics"), known)
    return tuple(sorted(found, key=lambda s: (s.recall is None, s.recall, s.name)))


def by_day(db: sqlite3.Connection, known: dict[int, float | None]) -> tuple[Strength, ...]:
    """In the order of the course."""
    rows = db.execute("SELECT day, id FROM items WHERE day > 0 ORDER BY day")
    return _strengths(rows, known)


def recall_by_day(db: sqlite3.Connection, today: date) -> dict[int, float]:
    """Map each day of the course with reviewed cards to the mean chance, 0 to 1, to recall them."""
    days = by_day(db, recalls(db, today))
    return {int(day.name): day.recall for day in days if day.recall is not None}


def _strengths(
    rows: Iterable[tuple[Any, int]], known: dict[int, float | None]
) -> tuple[Strength, ...]:
    groups: dict[str, list[float | None]] = {}
    for name, item in rows:
        if item in known:
            groups.setdefault(str(name), []).append(known[item])
    found = []
    for name, chances in groups.items():
        reviewed = [chance for chance in chances if chance is not None]
        mean = sum(reviewed) / len(reviewed) if reviewed else None
        found.append(Strength(name, len(chances), mean))
    return tuple(found)
