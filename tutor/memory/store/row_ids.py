"""The identity of a row of the log: a digest of its content, the `uid`.

Two records have the same `uid` for the same row, so a merge adds no row twice. A row with flipped
bits does not agree with its `uid`. The digest leaves out local ids: a reference is replaced by the
`uid` or the name of its target.
"""

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any

# column -> what it points to, by table
REFERENCES = {
    "attempts": {"source": "texts"},
    "edits": {"text": "texts"},
    "hints": {"after_pass": "attempts"},
    "card_events": {"card": "items", "answer": "answers", "attempt": "attempts"},
}
_NAMES = {
    "texts": "SELECT lower(hex(digest)) FROM texts WHERE id = ?",
    "items": "SELECT json_array(kind, key) FROM items WHERE id = ?",
    "answers": "SELECT uid FROM answers WHERE id = ?",
    "attempts": "SELECT uid FROM attempts WHERE id = ?",
}


def to_portable(db: sqlite3.Connection, table: str, columns: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a row, with local ids replaced by names that are valid in every record.

    Columns without a value are left out, so a column that a later version adds changes no older row.
    """
    points_to = REFERENCES.get(table, {})
    row = {}
    for column, value in columns.items():
        if value is None or column in ("id", "uid"):
            continue
        if column in points_to:
            name = db.execute(_NAMES[points_to[column]], (value,)).fetchone()
            value = name[0] if name else None
        row[column] = value
    return row


def uid_of(table: str, row: dict[str, Any]) -> int:
    """Return the 64-bit digest of a portable row."""
    content = json.dumps([table, row], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return int.from_bytes(blake2b(content.encode(), digest_size=8).digest(), "big", signed=True)


def find_forged_row(db: sqlite3.Connection, tables: Iterable[str]) -> str:
    """Return the first row that does not agree with its uid, as "table row", or ""."""
    for table in tables:
        for columns in all_rows(db, table):
            if uid_of(table, to_portable(db, table, columns)) != columns["uid"]:
                return f"{table} row {columns['id']}"
    for digest, body in db.execute("SELECT digest, body FROM texts"):
        if text_digest(body) != digest:
            return "a kept text"
    return ""


def all_rows(db: sqlite3.Connection, table: str) -> Iterable[dict[str, Any]]:
    """Yield the rows of a table by their names of columns, oldest first."""
    cursor = db.execute(f"SELECT * FROM {table} ORDER BY id")
    names = [column[0] for column in cursor.description]
    return (dict(zip(names, row, strict=True)) for row in cursor)


def wait_a_moment(at: str) -> str:
    """Return the stored time a microsecond later."""
    return (datetime.fromisoformat(at) + timedelta(microseconds=1)).isoformat()


def text_digest(body: str) -> bytes:
    """Return the 16 bytes under which a long text is stored once."""
    return blake2b(body.encode(), digest_size=16).digest()
