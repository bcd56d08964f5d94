"""The items that the course has cards for, and what a new look at the course changed about them."""

import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from tutor.memory.schedule import replay
from tutor.memory.store.rows import CardId


class Item(NamedTuple):
    """What a card is about, as the course has it now."""

    id: CardId
    title: str
    day: int
    phase: int
    topics: tuple[str, ...]
    section: str
    digest: str
    rev: int = 1
    minutes: int = 0


class Changes(NamedTuple):
    """What the course changed about cards that have entered."""

    edited: tuple[CardId, ...] = ()
    revised: tuple[CardId, ...] = ()
    orphaned: tuple[CardId, ...] = ()
    returned: tuple[CardId, ...] = ()

    @property
    def sentence(self) -> str:
        """What a person should be told, or ""."""
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


def update(
    db: sqlite3.Connection, now: tuple[Item, ...], revise: Callable[[int], object]
) -> Changes:
    """Bring the table of items to what the course has. The caller holds a transaction and gives
    `revise`, which notes for an item that its meaning changed."""
    old = {
        CardId(kind, key): (id_, digest, rev, bool(present))
        for id_, kind, key, digest, rev, present in db.execute(
            "SELECT id, kind, key, digest, rev, present FROM items"
        )
    }
    entered = {id_ for (id_,) in db.execute("SELECT id FROM cards")}
    found: dict[str, list[CardId]] = {"edited": [], "revised": [], "orphaned": [], "returned": []}
    db.execute("DELETE FROM topics")
    for item in now:
        id_ = _write(db, item)
        known = old.pop(item.id, None)
        if known is None or id_ not in entered:
            continue
        _, digest, rev, present = known
        if not present:
            found["returned"].append(item.id)
        if item.rev > rev and digest:
            found["revised"].append(item.id)
            revise(id_)
        elif digest not in ("", item.digest):
            found["edited"].append(item.id)
        if not present:
            replay.refold(db, id_)
    for card, (id_, digest, _, present) in old.items():
        # what was only ever heard of from a row, or was an orphan before, is no news
        db.execute("UPDATE items SET present = 0 WHERE id = ?", (id_,))
        if present and id_ in entered:
            if digest:
                found["orphaned"].append(card)
            replay.refold(db, id_)
    return Changes(**{name: tuple(cards) for name, cards in found.items()})


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
