"""Cards in the database: read, written, and computed anew from the rows that they follow from."""

import sqlite3
from datetime import date

from tutor.memory.cards import ALGORITHM, Card, after_answer, after_attempt


def load_card(db: sqlite3.Connection, kind: str, key: str) -> Card | None:
    row = db.execute(
        "SELECT stability, difficulty, due, last_review, reviews, lapses FROM cards "
        "WHERE kind = ? AND key = ?",
        (kind, key),
    ).fetchone()
    if row is None:
        return None
    stability, difficulty, due, last_review, reviews, lapses = row
    days = date.fromisoformat(due), date.fromisoformat(last_review)
    return Card(stability, difficulty, *days, reviews, lapses)


def store_card(db: sqlite3.Connection, kind: str, key: str, card: Card) -> None:
    db.execute(
        "INSERT INTO cards (kind, key, stability, difficulty, due, last_review, reviews, lapses, "
        "algorithm) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET "
        "stability = excluded.stability, difficulty = excluded.difficulty, due = excluded.due, "
        "last_review = excluded.last_review, reviews = excluded.reviews, "
        "lapses = excluded.lapses, algorithm = excluded.algorithm",
        (
            kind,
            key,
            card.stability,
            card.difficulty,
            card.due.isoformat(),
            card.last_review.isoformat(),
            card.reviews,
            card.lapses,
            ALGORITHM,
        ),
    )


def apply_answer(db: sqlite3.Connection, answer: int) -> None:
    """Bring the question's card up to date with one row of `answers`, the newest seen so far."""
    question, right, credit, confidence, origin, day = db.execute(
        "SELECT question, correct, credit, confidence, origin, study_day FROM answers WHERE id = ?",
        (answer,),
    ).fetchone()
    before = load_card(db, "question", question)
    right = None if right is None else bool(right)
    after = after_answer(before, right, credit, confidence, origin, date.fromisoformat(day))
    if after is not None and after != before:
        store_card(db, "question", question, after)


def apply_attempt(db: sqlite3.Connection, attempt: int) -> None:
    """The same for one row of `attempts`."""
    exercise, passed, day = db.execute(
        "SELECT exercise, passed, study_day FROM attempts WHERE id = ?", (attempt,)
    ).fetchone()
    before = load_card(db, "exercise", exercise)
    last_pass = last_pass_before(db, exercise, attempt)
    failures = 0
    if before is not None:
        failures = db.execute(
            "SELECT count(*) FROM attempts WHERE exercise = ? AND NOT passed AND id < ? "
            "AND id > coalesce(?, 0) AND study_day >= ?",
            (exercise, attempt, last_pass, before.due.isoformat()),
        ).fetchone()[0]
    hints = hints_after(db, exercise, last_pass)
    after = after_attempt(before, bool(passed), hints, failures, date.fromisoformat(day))
    if after is not None and after != before:
        store_card(db, "exercise", exercise, after)


def last_pass_before(db: sqlite3.Connection, exercise: str, attempt: int | None) -> int | None:
    """The newest passing attempt older than `attempt` (None: of all)."""
    row = db.execute(
        "SELECT max(id) FROM attempts WHERE exercise = ?1 AND passed AND (?2 IS NULL OR id < ?2)",
        (exercise, attempt),
    ).fetchone()
    return None if row[0] is None else int(row[0])


def hints_after(db: sqlite3.Connection, exercise: str, last_pass: int | None) -> int:
    """How far the hints were climbed since that passing attempt (None: since the start)."""
    row = db.execute(
        "SELECT coalesce(max(level), 0) FROM hints WHERE exercise = ? AND after_pass IS ?",
        (exercise, last_pass),
    ).fetchone()
    return int(row[0])


def rebuild(db: sqlite3.Connection) -> None:
    """Compute every card anew from the rows. The caller holds a transaction."""
    db.execute("DELETE FROM cards")
    for (answer,) in db.execute("SELECT id FROM answers ORDER BY id").fetchall():
        apply_answer(db, answer)
    for (attempt,) in db.execute("SELECT id FROM attempts ORDER BY id").fetchall():
        apply_attempt(db, attempt)


def is_stale(db: sqlite3.Connection) -> bool:
    """Whether another version of the rules wrote some of the cards."""
    return bool(
        db.execute("SELECT 1 FROM cards WHERE algorithm <> ? LIMIT 1", (ALGORITHM,)).fetchone()
    )
