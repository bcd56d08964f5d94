"""How much is due: read from the stored dates, without a scheduler, for a shell prompt."""

import sqlite3
from datetime import date
from typing import NamedTuple

ASKABLE = "NOT suspended AND NOT orphan"
_KNOWN, _NEW = f"{ASKABLE} AND stability IS NOT NULL", f"{ASKABLE} AND stability IS NULL"


class Due(NamedTuple):
    """The number of cards due on the study day `today`; `next` is the first later day with more."""

    today: date
    questions: int
    kernels: int
    terms: int
    next: date | None


def due(db: sqlite3.Connection, today: date) -> Due:
    """Count the cards of each kind that are due on `today` or earlier, new ones included."""
    day = today.isoformat()
    count: dict[str, int] = {}
    later = []
    for cards in (_KNOWN, _NEW):  # each has its own index
        query = f"SELECT kind, count(*) FROM cards WHERE {cards} AND due <= ? GROUP BY kind"
        for kind, number in db.execute(query, (day,)):
            count[kind] = count.get(kind, 0) + number
        query = f"SELECT min(due) FROM cards WHERE {cards} AND due > ?"
        later += [later_day for (later_day,) in db.execute(query, (day,)) if later_day]
    return Due(
        today=today,
        questions=count.get("question", 0),
        kernels=count.get("exercise", 0),
        terms=count.get("term", 0),
        next=date.fromisoformat(min(later)) if later else None,
    )


def due_keys(db: sqlite3.Connection, kind: str, today: date) -> tuple[str, ...]:
    """List the due cards of a kind; the card that has waited longest comes first."""
    rows = db.execute(
        f"SELECT key FROM cards WHERE {ASKABLE} AND kind = ? AND due <= ? "
        "ORDER BY due, stability, key",
        (kind, today.isoformat()),
    )
    return tuple(key for (key,) in rows)
