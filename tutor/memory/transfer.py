"""Copying rows into a record: from a file of lines (`tutor import`), or from a damaged record.

Nothing is overwritten. A row whose `uid` is known is skipped. The cards of new rows are computed anew
from all their rows.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutor.base.errors import UsageError
from tutor.memory.schedule import card_updates
from tutor.memory.store.connection import open_read_only
from tutor.memory.store.log import text_id
from tutor.memory.store.row_checks import fault_of_item, fault_of_row, fault_of_text
from tutor.memory.store.row_ids import REFERENCES, all_rows, to_portable, uid_of
from tutor.memory.store.schema import LOG_TABLES, VERSION, read_version

FORMAT = 2  # of the lines; the first one says which
_ITEM = "kind, key, title, day, phase, section, minutes, digest, rev, present"


@dataclass(frozen=True)
class Merged:
    """The number of rows that were added, and of rows that were known before."""

    added: int
    known: int


def export_lines(db: sqlite3.Connection) -> Iterator[str]:
    """Yield the whole record as JSON, an object for each line, in the order in which it can be read."""
    yield _line({"tutor": "record", "format": FORMAT})
    for (body,) in db.execute("SELECT body FROM texts ORDER BY id"):
        yield _line({"table": "texts", "body": body})
    cursor = db.execute(f"SELECT id, {_ITEM} FROM items ORDER BY id")
    for id_, *values in cursor.fetchall():
        item = dict(zip(_ITEM.split(", "), values, strict=True))
        topics = db.execute("SELECT topic FROM topics WHERE item = ? ORDER BY topic", (id_,))
        yield _line({"table": "items", **item, "topics": [topic for (topic,) in topics]})
    for table in LOG_TABLES:
        for columns in all_rows(db, table):
            row = to_portable(db, table, columns)
            yield _line({"table": table, "uid": f"{columns['uid'] & _64_BITS:016x}", **row})


_64_BITS = (1 << 64) - 1


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _read_json(line: str) -> Any:
    """Raises `ValueError` with a sentence of ours for a line that is no JSON."""
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"the line is not JSON from its column {error.colno} on") from None


def import_lines(db: sqlite3.Connection, lines: Iterable[str], name: str) -> Merged:
    """Import exported lines. The caller holds a transaction, so a faulty file changes nothing.

    Raises `UsageError` with `name`, the line number and the fault.
    """
    added = known = number = 0
    touched: set[int] = set()
    for number, line in enumerate(lines, 1):
        try:
            value = _read_json(line)
            if not isinstance(value, dict):
                raise ValueError("not an object")
            if number == 1:
                _check_head(value)
                continue
            is_new, item = _import_value(db, value)
        except (ValueError, KeyError, sqlite3.IntegrityError) as error:
            fault = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise UsageError(f"{name}:{number}: {fault[:200]}") from None
        except RecursionError:
            raise UsageError(f"{name}:{number}: nested too deep") from None
        added, known = added + (is_new is True), known + (is_new is False)
        if is_new and item is not None:
            touched.add(item)
    if not number:
        raise UsageError(f"{name}: it is empty; `tutor export jsonl PATH` makes what this reads")
    # Which of the cards the course has is found out when it is next read.
    db.execute("DELETE FROM kept WHERE name = 'course'")
    for item in touched:
        card_updates.refold(db, item)
    if card_updates.is_stale(db):
        card_updates.rebuild(db)
    return Merged(added, known)


def _import_value(db: sqlite3.Connection, value: dict[str, Any]) -> tuple[bool | None, int | None]:
    """Import the object of a line. Returns True for a new row of the log, False for one that is known,
    None for what else is kept; and the card that it belongs to. Raises `ValueError` or `KeyError`."""
    table = value.pop("table")
    if table == "texts":
        _refuse(f"body must be {wanted}" if (wanted := fault_of_text(value["body"])) else "")
        text_id(db, value["body"])
        return None, None
    if table == "items":
        _refuse(fault_of_item(value))
        _add_item(db, value)
        return None, None
    if not isinstance(table, str) or table not in LOG_TABLES:
        raise ValueError(f"no table {str(table)[:40]!r}")
    uid = _read_uid(value.pop("uid"))
    if uid_of(table, value) != uid:
        raise ValueError("the row is not what was exported")
    _refuse(fault_of_row(table, value))
    return add_row(db, table, value, uid)


def _refuse(fault: str) -> None:
    if fault:
        raise ValueError(fault)


def _read_uid(text: Any) -> int:
    if not isinstance(text, str) or not re.fullmatch(r"[0-9a-f]{16}", text):
        raise ValueError("uid must be 16 hexadecimal digits")
    uid = int(text, 16)
    return uid - (1 << 64) if uid >> 63 else uid


def _check_head(value: dict[str, Any]) -> None:
    if value.get("tutor") != "record":
        raise ValueError("this is no export of tutor (`tutor export jsonl PATH` makes one)")
    if value.get("format") != FORMAT:
        raise ValueError(
            f"the export has format {str(value.get('format'))[:40]}, this tutor reads {FORMAT}; "
            "install the newest tutor on both machines"
        )


def _add_item(db: sqlite3.Connection, item: dict[str, Any]) -> None:
    """Add an item of the other record if this one does not know it."""
    topics = item["topics"]
    names = _ITEM.split(", ")
    cursor = db.execute(
        f"INSERT INTO items ({_ITEM}) VALUES ({', '.join('?' * len(names))}) "
        "ON CONFLICT (kind, key) DO NOTHING",
        tuple(item[name] for name in names),
    )
    if cursor.rowcount:
        rows = [(topic, cursor.lastrowid) for topic in topics]
        db.executemany("INSERT OR IGNORE INTO topics VALUES (?, ?)", rows)


def add_row(
    db: sqlite3.Connection, table: str, row: dict[str, Any], uid: int
) -> tuple[bool, int | None]:
    """Add a portable row. Returns True if it was new, and the card it belongs to.

    Raises `ValueError` if it refers to a row that is missing.
    """
    columns = {**row, "uid": uid}
    for column, target in REFERENCES.get(table, {}).items():
        if column in columns:
            columns[column] = _local_id(db, target, columns[column])
    known = {info[1] for info in db.execute(f"PRAGMA table_info({table})")}
    if extra := columns.keys() - known:
        raise ValueError(f"{table} has no {min(extra)!r}")
    places = ", ".join("?" * len(columns))
    cursor = db.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places}) ON CONFLICT (uid) DO NOTHING",
        tuple(columns.values()),
    )
    return bool(cursor.rowcount), columns.get("card")


def _local_id(db: sqlite3.Connection, target: str, name: Any) -> int:
    if target == "items":
        kind, key = json.loads(name)
        return card_updates.item_id(db, kind, key)
    column, value = ("digest", bytes.fromhex(name)) if target == "texts" else ("uid", int(name))
    row = db.execute(f"SELECT id FROM {target} WHERE {column} = ?", (value,)).fetchone()
    if row is None:
        raise ValueError(f"it points to a row of {target} that is missing")
    return int(row[0])


def salvage(db: sqlite3.Connection, damaged: Path) -> str:
    """Copy the rows of a damaged record that agree with their uid. Returns a sentence to show."""
    added = 0
    try:
        with closing(open_read_only(damaged)) as old:
            if read_version(old) != VERSION:
                return _MISSING
            with db:
                db.execute("BEGIN IMMEDIATE")
                for row in _readable(old, db, "texts"):
                    text_id(db, row["body"])
                for table in LOG_TABLES:
                    found = _readable(old, db, table)
                    added += sum(_save_row(db, old, table, row) for row in found)
                if added:
                    card_updates.rebuild(db)
    except (sqlite3.DatabaseError, UnicodeError):
        return _MISSING
    if not added:
        return _MISSING
    rows = "1 later entry was" if added == 1 else f"{added} later entries were"
    return f"{rows} saved from the damaged file; anything else done after the backup is missing."


_MISSING = "What was done after that is missing."


def _readable(
    old: sqlite3.Connection, db: sqlite3.Connection, table: str
) -> Iterator[dict[str, Any]]:
    """Yield the readable rows of a damaged table, from both ends. Where a column's name is damaged too,
    the columns have their names from `db`: whether that is right, the uid says."""
    seen: set[int] = set()
    known = _columns(db.execute(f"SELECT * FROM {table} LIMIT 0"))
    for order in ("", "DESC"):
        try:
            cursor = old.execute(f"SELECT * FROM {table} ORDER BY rowid {order}")
            names = _columns(cursor)
            if set(names) != set(known):
                names = known
            if len(names) != len(cursor.description):
                return
            for row in cursor:
                if row[0] not in seen:
                    seen.add(row[0])
                    yield dict(zip(names, row, strict=True))
        except (sqlite3.DatabaseError, UnicodeError):
            continue


def _columns(cursor: sqlite3.Cursor) -> list[str]:
    return [column[0] for column in cursor.description]


def _save_row(
    db: sqlite3.Connection, old: sqlite3.Connection, table: str, columns: dict[str, Any]
) -> bool:
    try:
        row = to_portable(old, table, columns)
        if uid_of(table, row) != columns["uid"] or fault_of_row(table, row):
            return False
        return add_row(db, table, row, columns["uid"])[0]
    except (sqlite3.DatabaseError, ValueError, TypeError):
        return False
