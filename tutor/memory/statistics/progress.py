"""Questions about the record that only read it."""

import sqlite3
from collections.abc import Collection
from datetime import date, datetime, timedelta
from typing import NamedTuple

from tutor.memory.store.schema import LOG_TABLES
from tutor.memory.store.study_day import minutes_covered

LONGEST_ANSWER = timedelta(minutes=10)  # more time before an answer does not count as work


class DayProgress(NamedTuple):
    """Progress in one day of the course; a question counts by its latest answer that
    was given without a look at the solution."""

    sections_read: int = 0
    questions_right: int = 0
    questions_answered: int = 0


def day_progress(db: sqlite3.Connection) -> dict[int, DayProgress]:
    """Days of the course with a section read or a quiz question answered. What was right in a placement
    counts once the quiz, which does not ask it again, was begun."""
    sections = dict(db.execute("SELECT day, count(DISTINCT section) FROM sections GROUP BY day"))
    questions = {
        day: (right, answered)
        for day, right, answered in db.execute(
            "SELECT day, total(correct), count(*) FROM answers WHERE id IN "
            "(SELECT (SELECT max(id) FROM answers AS a WHERE a.question = q.question "
            "AND a.origin <> 'retry') FROM "
            "(SELECT question FROM answers WHERE origin = 'quiz' UNION "
            "SELECT question FROM answers WHERE origin = 'placement' AND correct AND day IN "
            "(SELECT day FROM answers WHERE origin = 'quiz')) AS q) GROUP BY day"
        )
    }
    return {
        day: DayProgress(sections.get(day, 0), *map(int, questions.get(day, (0, 0))))
        for day in sorted(sections.keys() | questions.keys())
    }


def days_learnt(db: sqlite3.Connection) -> tuple[date, ...]:
    """List the study days with work, oldest first. Page turns and settings are not work."""
    tables = ("answers", "attempts", "sections", "cells", "card_events")
    every = " UNION ".join(f"SELECT study_day FROM {table}" for table in tables)
    return tuple(date.fromisoformat(day) for (day,) in db.execute(f"{every} ORDER BY 1"))


def count_streak(learnt: Collection[date], today: date) -> int:
    """The study days in a row up to today, or up to yesterday while today has none."""
    days = set(learnt)
    at = today if today in days else today - timedelta(days=1)
    count = 0
    while at in days:
        count, at = count + 1, at - timedelta(days=1)
    return count


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
            if day in spans:  # false after crossing the date line
                end = datetime.fromisoformat(at)
                length = min(timedelta(seconds=max(spent, 0)), LONGEST_ANSWER)
                spans[day].append((end - length, end))
    return tuple(minutes_covered(spans[day.isoformat()]) for day in days)
