"""Dated copies of the record, taken when it is opened and has grown, and which of them to keep."""

import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from tutor.memory.schema import LOG_TABLES, row_count, tables_of, version_of

_PREFIX, _STAMP, _SUFFIX = "record-", "%Y%m%d-%H%M%S", ".sqlite3"

# Anki's thinning: all of two days, then the newest of 12 days, of 10 weeks and of 9 months
_ALL_OF = timedelta(days=2)
_STAGES = (("%Y-%m-%d", 12), ("%G-W%V", 10), ("%Y-%m", 9))


def folder_of(record: Path) -> Path:
    return record.parent / "backups"


def dated(folder: Path) -> dict[datetime, Path]:
    """The backups of a folder with the local time each was made, newest first."""
    found = {}
    for path in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        try:
            stamp = path.name[len(_PREFIX) : -len(_SUFFIX)]
            found[datetime.strptime(stamp, _STAMP)] = path
        except ValueError:
            continue  # a file the learner put there
    return dict(sorted(found.items(), reverse=True))


def back_up(connection: sqlite3.Connection, record: Path, now: datetime) -> Path | None:
    """Copy the record if rows came since the newest backup, and thin the old ones.

    Raises `OSError` or `sqlite3.Error` where the copy cannot be written.
    """
    rows = row_count(connection)
    folder = folder_of(record)
    newest = next(iter(dated(folder).values()), None)
    if not rows or (newest and _rows_of(newest) == rows):
        return None
    folder.mkdir(exist_ok=True)
    path = folder / f"{_PREFIX}{now:{_STAMP}}{_SUFFIX}"
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with closing(sqlite3.connect(part)) as copy:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a -wal beside it
    os.replace(part, path)
    backups = dated(folder)
    for moment in set(backups) - kept(backups, now):
        backups[moment].unlink()
    return path


def kept(moments: Iterable[datetime], now: datetime) -> set[datetime]:
    """Which of the backups made at `moments` stay."""
    now = now.replace(tzinfo=None)
    newest_first = sorted(moments, reverse=True)
    keep = {moment for moment in newest_first if now - moment < _ALL_OF}
    older = [moment for moment in newest_first if moment not in keep]
    for period, count in _STAGES:
        taken: set[str] = set()
        while older and (f"{older[0]:{period}}" in taken or len(taken) < count):
            moment = older.pop(0)
            if f"{moment:{period}}" not in taken:
                taken.add(f"{moment:{period}}")
                keep.add(moment)
    return keep


def newest_sound(record: Path) -> tuple[datetime, Path] | None:
    """The newest backup that is whole, and the local time it was made."""
    for moment, path in dated(folder_of(record)).items():
        try:
            with closing(_read_only(path)) as copy:
                if not fault_of(copy) and version_of(copy):
                    return moment, path
        except sqlite3.Error:
            continue
    return None


def _rows_of(backup: Path) -> int | None:
    """How many rows a backup holds; None where it cannot be read."""
    try:
        with closing(_read_only(backup)) as copy:
            return row_count(copy)
    except sqlite3.Error:
        return None


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def fault_of(connection: sqlite3.Connection) -> str:
    """What is wrong with a database, or ""; `sqlite3.DatabaseError` where it is no database."""
    result: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if result != "ok":
        return result
    if version_of(connection) and not tables_of(connection).issuperset(LOG_TABLES):
        return "tables are missing"
    return ""
