"""The items for which the course has cards, and the changes when the course is read again."""

import sqlite3
from collections.abc import Callable, Iterable
from typing import NamedTuple

from tutor.memory.schedule import card_updates, replaced_items
from tutor.memory.schedule.ratings import rating_of_answer
from tutor.memory.store.log import Log
from tutor.memory.store.rows import CardId


class Item(NamedTuple):
    """The subject of a card, as the course has it now."""

    id: CardId
    title: str
    day: int
    phase: int
    topics: tuple[str, ...]
    section: str
    digest: str
    rev: int = 1
    minutes: int = 0
    replaces: tuple[str, ...] = ()  # keys of the same kind


class Changes(NamedTuple):
    """Changes of the course to cards that have entered."""

    edited: tuple[CardId, ...] = ()
    revised: tuple[CardId, ...] = ()
    orphaned: tuple[CardId, ...] = ()
    returned: tuple[CardId, ...] = ()

    @property
    def sentence(self) -> str:
        """Return a sentence for the learner, or ""."""
        parts = []
        if self.revised:
            which = ", ".join(card.key for card in self.revised[:3])
            more = " and others" if len(self.revised) > 3 else ""
            parts.append(f"{which}{more} changed in meaning and will be asked anew")
        if self.orphaned:
            count = len(self.orphaned)
            noun = "card is" if count == 1 else "cards are"
            parts.append(f"{count} {noun} no longer in the course and rest, with their history")
        return f"The course changed: {'; '.join(parts)}." if parts else ""


class CourseItems:
    """The items in the record, and the cards that enter from them."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def stamp(self) -> str:
        """Return the stamp of the course's files when they were last read; "" if they never were."""
        rows = self._log.select("SELECT value FROM kept WHERE name = 'course'")
        return str(rows[0][0]) if rows else ""

    def update(self, items: tuple[Item, ...], stamp: str) -> Changes:
        """Store the items of the present course (tutor.memory.course_sync). Returns the changes."""

        def revise(item: int) -> None:
            self._log.append("card_events", card=item, action="revise")
            card_updates.refold(self._log.connection, item)

        with self._log.transaction() as db:
            changes = _update_rows(db, items, revise)
            db.execute("INSERT OR REPLACE INTO kept VALUES ('course', ?)", (stamp,))
        return changes

    def days_to_enter(self, stamp: str) -> tuple[int, ...]:
        """Days with a section read whose cards have not entered from the course as `stamp` has it."""
        rows = self._log.select(
            "SELECT DISTINCT day FROM sections WHERE NOT EXISTS (SELECT 1 FROM kept "
            "WHERE name = 'entered day ' || day AND value = ?) ORDER BY day",
            stamp,
        )
        return tuple(day for (day,) in rows)

    def enter_day(self, day: int, cards: Iterable[CardId], stamp: str) -> int:
        """Let the cards of a finished lesson enter; returns how many did."""
        with self._log.transaction() as db:
            entered = sum(self._enter(db, card) for card in cards)
            db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (f"entered day {day}", stamp))
        return entered

    def enter(self, cards: Iterable[CardId]) -> int:
        """Let cards enter that have not yet; returns how many did.

        A question that was answered right enters with that answer as its first review. Any other card
        is new tomorrow.
        """
        with self._log.transaction() as db:
            return sum(self._enter(db, card) for card in cards)

    def _enter(self, db: sqlite3.Connection, card: CardId) -> bool:
        item = card_updates.item_id(db, *card)
        if card_updates.due_day(db, item) is not None:
            return False
        first = None
        if card.kind == "question":
            items = ", ".join(map(str, replaced_items.all_of(db, item)))
            first = db.execute(
                "SELECT id, at, study_day, confidence, seconds, origin FROM answers WHERE question IN "
                f"(SELECT key FROM items WHERE id IN ({items})) AND correct AND origin <> 'retry' "
                "ORDER BY at DESC, id DESC LIMIT 1",
            ).fetchone()
        if first is None:
            self._log.append("card_events", card=item, action="enter")
            return card_updates.refold(db, item) is not None
        answer, at, day, confidence, seconds, origin = first
        rating = rating_of_answer(True, 1.0, confidence)
        given = {"rating": rating, "confidence": confidence, "seconds": seconds, "origin": origin}
        card_updates.add_review(db, item, at, day, **given, answer=answer)
        return True


def _update_rows(
    db: sqlite3.Connection, now: tuple[Item, ...], revise: Callable[[int], object]
) -> Changes:
    """Update the table of items to the course, in the caller's transaction. `revise` records that an
    item's meaning changed."""
    old = {
        CardId(kind, key): (id_, digest, rev, bool(present))
        for id_, kind, key, digest, rev, present in db.execute(
            "SELECT id, kind, key, digest, rev, present FROM items"
        )
    }
    entered = {id_ for (id_,) in db.execute("SELECT id FROM cards")}
    changes: dict[str, list[CardId]] = {"edited": [], "revised": [], "orphaned": [], "returned": []}
    db.execute("DELETE FROM topics")
    moved = replaced_items.keep_replaced(db, _find_replaced(db, now))
    for item in now:
        id_ = _write(db, item)
        known = old.pop(item.id, None)
        if known is None or id_ not in entered:
            continue
        _, digest, rev, present = known
        if not present:
            changes["returned"].append(item.id)
        if item.rev > rev and digest:
            changes["revised"].append(item.id)
            revise(id_)
        elif digest not in ("", item.digest):
            changes["edited"].append(item.id)
        if not present:
            card_updates.refold(db, id_)
    gone = replaced_items.replaced(db)
    db.executemany("UPDATE items SET present = 0 WHERE id = ?", [(id_,) for id_ in gone])
    for card, (id_, digest, _, present) in old.items():
        # an item known only from a row, or an earlier orphan, is not reported
        db.execute("UPDATE items SET present = 0 WHERE id = ?", (id_,))
        if present and id_ in entered:
            if digest and id_ not in gone:
                changes["orphaned"].append(card)
            card_updates.refold(db, id_)
    for id_ in moved:
        card_updates.refold(db, id_)
    return Changes(**{name: tuple(cards) for name, cards in changes.items()})


def _find_replaced(db: sqlite3.Connection, now: tuple[Item, ...]) -> dict[int, int]:
    """Map the items that were replaced to those that stay. One that is still in the course is none."""
    here = {item.id for item in now}
    return {
        card_updates.item_id(db, *gone): card_updates.item_id(db, *item.id)
        for item in now
        for gone in (CardId(item.id.kind, key) for key in item.replaces)
        if gone not in here
    }


def _write(db: sqlite3.Connection, item: Item) -> int:
    (id_,) = db.execute(
        "INSERT INTO items (kind, key, title, day, phase, section, minutes, digest, rev) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET "
        "title = excluded.title, day = excluded.day, phase = excluded.phase, "
        "section = excluded.section, minutes = excluded.minutes, digest = excluded.digest, "
        "rev = excluded.rev, present = 1 RETURNING id",
        (
            *item.id,
            item.title,
            item.day,
            item.phase,
            item.section,
            item.minutes,
            item.digest,
            item.rev,
        ),
    ).fetchone()
    rows = [(topic, id_) for topic in dict.fromkeys(item.topics)]
    db.executemany("INSERT INTO topics VALUES (?, ?)", rows)
    return int(id_)
