"""Rows that no command can read are put aside when a record is first opened: the rest is used.

An import of an earlier edition of this program, or a hand in the file, may have brought them. A row
that is put aside is kept as JSON in a table of its own, which an export leaves out.
"""

import json
import sqlite3
from collections.abc import Iterator

from tutor.memory.store.row_ids import REFERENCES, all_rows
from tutor.memory.store.schema import LOG_TABLES

_CHECKED = "rows checked"  # a name in `kept`: what checked all rows, once
_EDITION = "1"  # of the checks; another one checks every record again
_TABLE = "CREATE TABLE IF NOT EXISTS set_aside (place TEXT NOT NULL, content TEXT NOT NULL) STRICT"


def is_checked(db: sqlite3.Connection) -> bool:
    """Return True if every row of the record was compared with the present checks."""
    row = db.execute("SELECT value FROM kept WHERE name = ?", (_CHECKED,)).fetchone()
    return row is not None and row[0] == _EDITION


def set_rows_aside(db: sqlite3.Connection) -> str:
    """Put aside the rows that nothing can read, in the caller's transaction. Returns a sentence for the
    learner, or "". The cards have to be computed anew then."""
    found: list[str] = []
    for table, row_id, fault in _faults(db):
        found.append(f"{table} row {row_id}: {fault}")
        _move(db, table, row_id)
    for item, fault in _faulty_items(db):
        found.append(f"card {item}: {fault}")
        for table in REFERENCES:
            if "card" in REFERENCES[table]:
                for (row_id,) in db.execute(f"SELECT id FROM {table} WHERE card = ?", (item,)):
                    _move(db, table, row_id)
        db.execute("DELETE FROM cards WHERE id = ?", (item,))
        db.execute("DELETE FROM topics WHERE item = ?", (item,))
        _move(db, "items", item)
    db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (_CHECKED, _EDITION))
    if not found:
        return ""
    one = len(found) == 1
    what = "1 entry" if one else f"{len(found)} entries"
    return (
        f"{what} of the record cannot be read and {'lies' if one else 'lie'} aside (the first: "
        f"{found[0][:200]}); everything else is used."
    )


def forget_check(db: sqlite3.Connection) -> None:
    """Have every row compared again: the content has come from another file."""
    db.execute("DELETE FROM kept WHERE name = ?", (_CHECKED,))


def _faults(db: sqlite3.Connection) -> Iterator[tuple[str, int, str]]:
    from tutor.memory.store.row_checks import fault_of_row  # needed once: home does not wait for it

    for table in LOG_TABLES:
        local = REFERENCES.get(table, {})  # here they are ids of rows, which SQLite guards
        for columns in list(all_rows(db, table)):
            row = {
                name: value
                for name, value in columns.items()
                if value is not None and name not in ("id", "uid")
            }
            if fault := fault_of_row(table, row, local):
                yield table, columns["id"], fault


def _faulty_items(db: sqlite3.Connection) -> list[tuple[int, str]]:
    from tutor.memory.store.row_checks import fault_of_item

    topics: dict[int, list[str]] = {}
    for topic, item in db.execute("SELECT topic, item FROM topics"):
        topics.setdefault(item, []).append(topic)
    found = []
    for columns in all_rows(db, "items"):
        item = {name: value for name, value in columns.items() if name != "id"}
        if fault := fault_of_item({**item, "topics": topics.get(columns["id"], [])}):
            found.append((columns["id"], fault))
    return found


def _move(db: sqlite3.Connection, table: str, row_id: int) -> None:
    """Put a row aside, after those that point to it."""
    for other, points_to in REFERENCES.items():
        for column in (column for column, target in points_to.items() if target == table):
            if table == "items":
                continue  # its cards' rows were moved before
            pointing = db.execute(
                f"SELECT id FROM {other} WHERE {column} = ?", (row_id,)
            ).fetchall()
            for (pointing_id,) in pointing:
                _move(db, other, pointing_id)
    cursor = db.execute(f"SELECT * FROM {table} WHERE id = ?", (row_id,))
    row = cursor.fetchone()
    if row is None:
        return
    names = [column[0] for column in cursor.description]
    db.execute(_TABLE)
    db.execute(
        "INSERT INTO set_aside VALUES (?, ?)",
        (f"{table} {row_id}", json.dumps(dict(zip(names, row, strict=True)))),
    )
    db.execute(f"DELETE FROM {table} WHERE id = ?", (row_id,))
