"""Questions that took the place of others (`replaces` in the course): the card of the one that stays
follows from the rows of all of them.

Rows of the log keep the item that they were written about. Which item stays for it is kept beside them,
and computed again whenever the course is read.
"""

import sqlite3
from collections.abc import Mapping

_NAME = "replaced item "


def keep_replaced(db: sqlite3.Connection, stays: Mapping[int, int]) -> set[int]:
    """Store which item stays for each that went. Returns the items whose cards are to be folded anew."""
    before = replaced(db)
    for gone in before.keys() - stays.keys():
        db.execute("DELETE FROM kept WHERE name = ?", (f"{_NAME}{gone}",))
    db.executemany(
        "INSERT OR REPLACE INTO kept VALUES (?, ?)",
        [(f"{_NAME}{gone}", str(item)) for gone, item in stays.items()],
    )
    changed = dict(before.items() ^ stays.items())
    return {*changed, *changed.values()}


def replaced(db: sqlite3.Connection) -> dict[int, int]:
    """Map each item that went to the one that stays."""
    rows = db.execute(f"SELECT name, value FROM kept WHERE name GLOB '{_NAME}*'")
    return {int(name.removeprefix(_NAME)): int(value) for name, value in rows}


def owner_of(db: sqlite3.Connection, item: int) -> int:
    """Return the item that stays for `item`, most often itself."""
    row = db.execute("SELECT value FROM kept WHERE name = ?", (f"{_NAME}{item}",)).fetchone()
    return int(row[0]) if row else item


def all_of(db: sqlite3.Connection, item: int) -> tuple[int, ...]:
    """Return the item and those that it replaces."""
    return (item, *(gone for gone, stays in replaced(db).items() if stays == item))


def those_of(db: sqlite3.Connection, card: str) -> str:
    """Return a condition in SQL on the items of the card whose id is the column `card`."""
    if not replaced(db):
        return f"= {card}"
    place = len(_NAME) + 1
    return (
        f"IN (SELECT {card} UNION ALL SELECT CAST(substr(name, {place}) AS INTEGER) FROM kept "
        f"WHERE value = CAST({card} AS TEXT) AND name GLOB '{_NAME}*')"
    )
