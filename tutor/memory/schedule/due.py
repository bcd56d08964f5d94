"""How much is due: read from the stored dates, without a scheduler, for a shell prompt."""

import sqlite3
from collections import Counter
from datetime import date, timedelta
from typing import NamedTuple

from tutor.memory.schedule.replaced_items import those_of
from tutor.memory.store import settings

ASKABLE = "NOT suspended AND NOT orphan"
UNANSWERED = "stability IS NULL"  # it has an index of its own, as the states below have


class Limits(NamedTuple):
    """Cards a study day: how many new ones, how many known ones."""

    new: int = 20
    reviews: int = 200


class Due(NamedTuple):
    """The number of cards that are asked on the study day `today`. Beyond the day's limit of new cards
    `waiting` ones are due; `next` is the first later day with more."""

    today: date
    questions: int
    kernels: int
    terms: int
    next: date | None
    waiting: int = 0


def answered(db: sqlite3.Connection) -> str:
    """Return the condition on a card that was answered, in a lesson or quiz, and that no review has
    asked: it is as new to the reviews as one that was never answered. A kernel is never new."""
    return f"stability IS NOT NULL AND cards.kind <> 'exercise' AND NOT {_asked(db)}"


def known(db: sqlite3.Connection) -> str:
    """Return the condition on a card that a review has asked, or a kernel."""
    return f"stability IS NOT NULL AND (cards.kind = 'exercise' OR {_asked(db)})"


def _asked(db: sqlite3.Connection, until: str = "") -> str:
    return (
        f"EXISTS (SELECT 1 FROM card_events AS r WHERE r.card {those_of(db, 'cards.id')} "
        f"AND r.action = 'review' AND r.origin = 'review'{until})"
    )


def read_limits(db: sqlite3.Connection) -> Limits:
    """Return the learner's daily limits."""
    return Limits(*(settings.get_setting(db, name) for name in ("new_per_day", "reviews_per_day")))


def limits_left(db: sqlite3.Connection, today: date, limits: Limits) -> Limits:
    """Return what the day's limits still allow after today's reviews."""
    before = _asked(db, " AND r.study_day < ?")
    new, old = db.execute(
        f"SELECT total(NOT {before}), total({before}) FROM cards WHERE last_review = ? AND id IN "
        "(SELECT card FROM card_events WHERE study_day = ? AND action = 'review' "
        "AND origin = 'review')",
        (today.isoformat(),) * 4,
    ).fetchone()
    return Limits(max(limits.new - int(new), 0), max(limits.reviews - int(old), 0))


def due(db: sqlite3.Connection, today: date) -> Due:
    """Count the cards of each kind that are asked on `today`: due on that day or earlier, of new ones
    as many as the day's limit allows."""
    left = limits_left(db, today, read_limits(db)).new
    day = today.isoformat()
    count: Counter[str] = Counter()
    query = (
        f"SELECT kind, count(*) FROM cards WHERE {ASKABLE} AND {known(db)} AND due <= ? GROUP BY 1"
    )
    count.update(dict(db.execute(query, (day,))))
    new: list[tuple[str, str]] = []
    for cards in (answered(db), UNANSWERED):
        query = f"SELECT due, kind FROM cards WHERE {ASKABLE} AND {cards} AND due <= ? ORDER BY due"
        new += db.execute(query, (day,))
    new.sort(key=lambda card: card[0])
    count.update(kind for _, kind in new[:left])
    later = [
        first
        for state in (UNANSWERED, "stability IS NOT NULL")
        for (first,) in db.execute(
            f"SELECT min(due) FROM cards WHERE {ASKABLE} AND {state} AND due > ?", (day,)
        )
        if first
    ]
    waiting = len(new[left:])
    following = date.fromisoformat(min(later)) if later else None
    return Due(
        today=today,
        questions=count["question"],
        kernels=count["exercise"],
        terms=count["term"],
        next=today + timedelta(days=1) if waiting else following,
        waiting=waiting,
    )


def due_keys(db: sqlite3.Connection, kind: str, today: date) -> tuple[str, ...]:
    """List the due cards of a kind; the card that has waited longest comes first."""
    rows = db.execute(
        f"SELECT key FROM cards WHERE {ASKABLE} AND kind = ? AND due <= ? "
        "ORDER BY due, stability, key",
        (kind, today.isoformat()),
    )
    return tuple(key for (key,) in rows)
