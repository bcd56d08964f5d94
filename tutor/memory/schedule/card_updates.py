"""Cards in the database. A card is the fold of its events (cards.py). Each event computes it from all
of them, so a stored card, a rebuilt card and a card of merged records are equal."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from tutor.memory.schedule import replaced_items
from tutor.memory.schedule.cards import Card, Event, fold
from tutor.memory.schedule.fsrs import Rules, rules_in_use
from tutor.memory.schedule.load import choose_days
from tutor.memory.schedule.ratings import rating_of_answer, rating_of_pass
from tutor.memory.store.log import LogRow, append
from tutor.memory.store.rows import CardId, JudgedProgram
from tutor.memory.store.study_day import minutes_covered

if TYPE_CHECKING:  # grading is not loaded where home is first painted
    from tutor.memory.answers import GivenAnswer
    from tutor.quiz.grading import Grade

_date = lru_cache(maxsize=1 << 12)(date.fromisoformat)  # the rows of a day share the object
# Condition on a row `e` of card_events that was undone
UNDONE = (
    "EXISTS (SELECT 1 FROM card_events AS u WHERE u.action = 'undo' "
    "AND u.value = CAST(e.uid AS TEXT))"
)
_EVENTS = "study_day, action, rating, confidence, origin, value, uid"


def item_id(db: sqlite3.Connection, kind: str, key: str) -> int:
    """Return the permanent id of a card's item, which is created if it is new."""
    row = db.execute("SELECT id FROM items WHERE kind = ? AND key = ?", (kind, key)).fetchone()
    if row is None:
        row = db.execute(
            "INSERT INTO items (kind, key) VALUES (?, ?) RETURNING id", (kind, key)
        ).fetchone()
    return int(row[0])


def due_day(db: sqlite3.Connection, item: int) -> date | None:
    """Return the day on which an item's card is due; None while the card has not entered."""
    row = db.execute("SELECT due FROM cards WHERE id = ?", (item,)).fetchone()
    return date.fromisoformat(row[0]) if row else None


def refold(db: sqlite3.Connection, item: int) -> Card | None:
    """Compute one card anew, store it and return it. Of an item that was replaced it is the card of
    the one that stays."""
    owner = replaced_items.owner_of(db, item)
    if owner != item:
        db.execute("DELETE FROM cards WHERE id = ?", (item,))
        item = owner
    kind, key = db.execute("SELECT kind, key FROM items WHERE id = ?", (item,)).fetchone()
    rules = rules_in_use(db)
    card = fold(events_of(db, item), f"{kind}:{key}", rules)
    if card is None:
        db.execute("DELETE FROM cards WHERE id = ?", (item,))
    else:
        _store(db, [_row(item, kind, key, card, rules)])
    return card


def events_of(db: sqlite3.Connection, item: int, without: int | None = None) -> list[Event]:
    """A card's events, oldest first, without those that were undone and the row `without`."""
    items = ", ".join(map(str, replaced_items.all_of(db, item)))
    rows = db.execute(
        f"SELECT {_EVENTS} FROM card_events WHERE card IN ({items}) AND id IS NOT ? ORDER BY at, id",
        (without,),
    ).fetchall()
    return _not_undone(rows)


def rebuild(db: sqlite3.Connection, before_each: Callable[[], None] = lambda: None) -> None:
    """Compute every card anew from the rows. The caller holds a transaction, so nothing changes
    if `before_each`, which is called before each card, raises."""
    rules = rules_in_use(db)
    names = {id_: (kind, key) for id_, kind, key in db.execute("SELECT id, kind, key FROM items")}
    db.execute("DELETE FROM cards")
    rows = db.execute(f"SELECT card, {_EVENTS} FROM card_events ORDER BY card, at, id")
    gone = replaced_items.replaced(db)
    apart = {*gone, *gone.values()}
    _store(db, _fold_rows((row for row in rows if row[0] not in apart), names, rules, before_each))
    for item in set(gone.values()):
        before_each()
        refold(db, item)


def _fold_rows(
    rows: Iterable[Any],
    names: dict[int, tuple[str, str]],
    rules: Rules,
    before_each: Callable[[], None],
) -> Iterator[dict[str, Any]]:
    for item, events in groupby(rows, key=itemgetter(0)):
        before_each()
        kind, key = names[item]
        card = fold(_not_undone([row[1:] for row in events]), f"{kind}:{key}", rules)
        if card is not None:
            yield _row(item, kind, key, card, rules)


def _not_undone(rows: list[Any]) -> list[Event]:
    undone = {int(row[5]) for row in rows if row[1] == "undo"}
    return [
        Event(_date(day), action, rating, confidence, origin, value)
        for day, action, rating, confidence, origin, value, uid in rows
        if action != "undo" and uid not in undone
    ]


def _row(item: int, kind: str, key: str, card: Card, rules: Rules) -> dict[str, Any]:
    """Return a card by the columns of its table; `_store` adds `orphan`."""
    last = card.last_review.isoformat() if card.last_review else None
    dates = {"due": card.due.isoformat(), "last_review": last}
    return {
        "id": item,
        "kind": kind,
        "key": key,
        **card._asdict(),
        **dates,
        "algorithm": rules.algorithm,
    }


def _store(db: sqlite3.Connection, rows: Iterable[dict[str, Any]]) -> None:
    db.executemany(
        "INSERT OR REPLACE INTO cards VALUES (:id, :kind, :key, :stability, :difficulty, :due, "
        ":last_review, :reviews, :lapses, :suspended, (SELECT NOT present FROM items WHERE id = :id), "
        ":changed, :sure, :flag, :note, :algorithm)",
        rows,
    )


def is_stale(db: sqlite3.Connection) -> bool:
    """Return True if other rules or parameters wrote some of the cards."""
    wanted = rules_in_use(db).algorithm
    # all cards are written together, so the first and the last are enough; reading all is slow
    rows = db.execute(
        "SELECT algorithm FROM cards WHERE id IN "
        "((SELECT min(id) FROM cards), (SELECT max(id) FROM cards))"
    )
    return any(algorithm != wanted for (algorithm,) in rows)


def add_review(db: sqlite3.Connection, item: int, at: str, day: str, **columns: Any) -> int:
    """Append a review of an item and compute its card anew. Returns the event's id.

    Where the columns give no `value`, the load chooses one: the number of days until the card is due.
    """
    if columns.get("value") is None and columns["origin"] != "cram":
        owner = replaced_items.owner_of(db, item)
        name = db.execute("SELECT kind, key FROM items WHERE id = ?", (owner,)).fetchone()
        days = days_until_due(db, CardId(*name), events_of(db, owner), _date(day))
        columns["value"] = str(days[columns["rating"]])
    event = append(db, "card_events", at, day, {"card": item, "action": "review", **columns})
    refold(db, item)
    return event.id


def days_until_due(
    db: sqlite3.Connection, card: CardId, before: list[Event], today: date
) -> dict[int, int]:
    """Map each rating of a review of `today` to the days until the card is due then, by the load of the
    days. `before`: the card's events without that review."""
    due = choose_days(db, card, before, today, rules_in_use(db))
    return {rating: max((day - today).days, 0) for rating, day in due.items()}


def after_answer(
    db: sqlite3.Connection, row: LogRow, given: "GivenAnswer", grade: "Grade | None", origin: str
) -> int | None:
    """Add the event that follows from an answer, which was kept as `row`, and update its card. Returns
    the event's id.

    A question enters when it was answered wrong, or in a review. In a placement it enters when it
    was answered right; the other questions wait for the day that teaches them. Of several tries in a
    lesson the first one counts.
    """
    if grade is None or origin == "retry" or (origin == "placement" and not grade.right):
        return None
    rating = rating_of_answer(grade.right, grade.credit, given.confidence)
    if rating is None:
        return None
    item = item_id(db, "question", given.question.id)
    enters = not grade.right or origin in ("review", "cram", "placement")
    if not enters and due_day(db, item) is None:
        return None
    return add_review(
        db,
        item,
        row.at,
        row.study_day,
        rating=rating,
        confidence=given.confidence,
        seconds=float(given.seconds),
        origin=origin,
        answer=row.id,
    )


def after_attempt(db: sqlite3.Connection, row: LogRow, judged: JudgedProgram) -> int | None:
    """Do the same for an attempt. The first passing attempt makes the card. Later attempts before the
    due day are practice; a due card stays due until an attempt passes."""
    exercise, attempt = judged.exercise, row.id
    item = item_id(db, "exercise", exercise)
    due = due_day(db, item)
    if not judged.passed or (due is not None and date.fromisoformat(row.study_day) < due):
        return None
    last_pass = last_pass_before(db, exercise, attempt)
    hints = hints_after(db, exercise, last_pass)
    failures, share = 0, None
    if due is not None:  # neither failures nor slow work count while the exercise is learnt
        since = due.isoformat()
        failures = db.execute(
            "SELECT count(*) FROM attempts WHERE exercise = ? AND NOT passed AND id < ? "
            "AND id > coalesce(?, 0) AND study_day >= ?",
            (exercise, attempt, last_pass, since),
        ).fetchone()[0]
        share = _share_of_time(db, item, exercise, since, row.at)
    rating = rating_of_pass(hints, failures, share)
    return add_review(
        db, item, row.at, row.study_day, rating=rating, origin="attempt", attempt=attempt
    )


def _share_of_time(
    db: sqlite3.Connection, item: int, exercise: str, since: str, at: str
) -> float | None:
    """Return the minutes at work on an exercise since it is due, over its planned minutes."""
    meant = db.execute("SELECT minutes FROM items WHERE id = ?", (item,)).fetchone()[0]
    if not meant:
        return None
    moments = [
        datetime.fromisoformat(moment)
        for table in ("attempts", "edits", "hints")
        for (moment,) in db.execute(
            f"SELECT at FROM {table} WHERE exercise = ? AND study_day >= ? AND at <= ?",
            (exercise, since, at),
        )
    ]
    if len(moments) < 2:  # the file was written elsewhere, so the time is unknown
        return None
    return minutes_covered((moment, moment) for moment in moments) / float(meant)


def last_pass_before(db: sqlite3.Connection, exercise: str, attempt: int | None) -> int | None:
    """The newest passing attempt older than `attempt` (None: of all)."""
    row = db.execute(
        "SELECT max(id) FROM attempts WHERE exercise = ? AND passed AND (? IS NULL OR id < ?)",
        (exercise, attempt, attempt),
    ).fetchone()
    return None if row[0] is None else int(row[0])


def hints_after(db: sqlite3.Connection, exercise: str, last_pass: int | None) -> int:
    """Return the highest hint shown since that passing attempt (None: since the start)."""
    row = db.execute(
        "SELECT coalesce(max(level), 0) FROM hints WHERE exercise = ? AND after_pass IS ?",
        (exercise, last_pass),
    ).fetchone()
    return int(row[0])
