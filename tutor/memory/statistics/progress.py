"""Questions about the record that only read it."""

import sqlite3
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import NamedTuple

from tutor.memory.store.schema import LOG_TABLES

IDLE = timedelta(minutes=5)  # a longer pause between two rows was not spent learning
LONGEST_ANSWER = timedelta(minutes=10)  # nor was all of an hour before an answer


class Due(NamedTuple):
    """How much is due on the study day `today`; `next` is the first later day with more."""

    today: date
    questions: int
    kernels: int
    terms: int
    next: date | None


class DayProgress(NamedTuple):
    """Of one day of the course; a question counts by its latest answer."""

    sections_read: int = 0
    questions_right: int = 0
    questions_answered: int = 0


_ASKED = "NOT suspended AND NOT orphan"
_KNOWN, _NEW = f"{_ASKED} AND stability IS NOT NULL", f"{_ASKED} AND stability IS NULL"


def due(db: sqlite3.Connection, today: date) -> Due:
    """How many cards of each kind are due on `today` or were before, new ones included."""
    day = today.isoformat()
    count: dict[str, int] = {}
    later = []
    for cards in (_KNOWN, _NEW):  # each has an index of its own
        query = f"SELECT kind, count(*) FROM cards WHERE {cards} AND due <= ? GROUP BY kind"
        for kind, number in db.execute(query, (day,)):
            count[kind] = count.get(kind, 0) + number
        query = f"SELECT min(due) FROM cards WHERE {cards} AND due > ?"
        later += [found for (found,) in db.execute(query, (day,)) if found]
    return Due(
        today=today,
        questions=count.get("question", 0),
        kernels=count.get("exercise", 0),
        terms=count.get("term", 0),
        next=date.fromisoformat(min(later)) if later else None,
    )


def due_keys(db: sqlite3.Connection, kind: str, today: date) -> tuple[str, ...]:
    """The cards of a kind that are due, the one that has waited longest first."""
    rows = db.execute(
        f"SELECT key FROM cards WHERE {_ASKED} AND kind = ? AND due <= ? "
        "ORDER BY due, stability, key",
        (kind, today.isoformat()),
    )
    return tuple(key for (key,) in rows)


def day_progress(db: sqlite3.Connection) -> dict[int, DayProgress]:
    """Days of the course with a section read or a quiz question answered."""
    sections = dict(db.execute("SELECT day, count(DISTINCT section) FROM sections GROUP BY day"))
    questions = {
        day: (right, answered)
        for day, right, answered in db.execute(
            "SELECT day, total(correct), count(*) FROM answers WHERE id IN "
            "(SELECT (SELECT max(id) FROM answers AS a WHERE a.question = q.question) FROM "
            "(SELECT DISTINCT question FROM answers WHERE origin = 'quiz') AS q) GROUP BY day"
        )
    }
    return {
        day: DayProgress(sections.get(day, 0), *map(int, questions.get(day, (0, 0))))
        for day in sorted(sections.keys() | questions.keys())
    }


def days_learnt(db: sqlite3.Connection) -> tuple[date, ...]:
    """Study days with a row that is work, oldest first: to turn a page or choose a setting is none."""
    tables = ("answers", "attempts", "sections", "cells", "card_events")
    every = " UNION ".join(f"SELECT study_day FROM {table}" for table in tables)
    return tuple(date.fromisoformat(day) for (day,) in db.execute(f"{every} ORDER BY 1"))


def minutes_by_day(db: sqlite3.Connection, today: date, last_days: int) -> tuple[float, ...]:
    """Minutes at work on each of the last study days, oldest first, `today` last."""
    days = [today - timedelta(days=back) for back in reversed(range(last_days))]
    spans: dict[str, list[tuple[datetime, datetime]]] = {day.isoformat(): [] for day in days}
    for table in LOG_TABLES:
        seconds = "seconds" if table == "answers" else "0"
        for day, at, spent in db.execute(
            f"SELECT study_day, at, {seconds} FROM {table} WHERE study_day >= ?",
            (days[0].isoformat(),),
        ):
            if day in spans:  # not after a journey that crossed the date line
                end = datetime.fromisoformat(at)
                length = min(timedelta(seconds=max(spent, 0)), LONGEST_ANSWER)
                spans[day].append((end - length, end))
    return tuple(minutes_covered(spans[day.isoformat()]) for day in days)


def minutes_covered(spans: Iterable[tuple[datetime, datetime]]) -> float:
    """Minutes covered by the spans, where a pause of up to `IDLE` between two counts as well."""
    total = timedelta()
    reached: datetime | None = None
    for start, end in sorted(spans):
        if reached is not None and start - reached <= IDLE:
            start, end = reached, max(end, reached)
        total += end - start
        reached = end
    return total.total_seconds() / 60
