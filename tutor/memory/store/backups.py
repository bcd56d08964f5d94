"""Dated copies of the record, made when it is opened and has new rows, and their thinning."""

import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path

from tutor.base.errors import UsageError
from tutor.memory.store import checksums
from tutor.memory.store.checksums import LARGEST_FULL_READ
from tutor.memory.store.connection import find_fault, open_read_only
from tutor.memory.store.folder_lock import one_process_at_a_time
from tutor.memory.store.schema import read_version, refusal_of, row_count

_PATIENCE = 5.0  # seconds that the end of a program waits for another process
_PREFIX, _STAMP, _SUFFIX = "record-", "%Y%m%d-%H%M%S", ".sqlite3"
_ASIDE = f"{_PREFIX}before-restore-"

# All of the last hour, so that none that was just asked for goes; before it Anki's thinning: the newest
# of each half hour of two days, then of 12 days, of 10 weeks and of 9 months
_JUST_MADE = timedelta(hours=1)
_ALL_KEPT = timedelta(days=2)
_OFTEN, _DAILY = timedelta(minutes=30), timedelta(days=1)
_STAGES = (("%Y-%m-%d", 12), ("%G-W%V", 10), ("%Y-%m", 9))


def folder_of(record: Path) -> Path:
    """Return the folder of a record's backups; it may be missing."""
    return record.parent / "backups"


def list_backups(folder: Path) -> dict[datetime, Path]:
    """The backups of a folder with the local time each was made, newest first."""
    return _list_stamped(folder, _PREFIX)


def list_set_aside(folder: Path) -> dict[datetime, Path]:
    """What `restore` put aside, with the local time of each, newest first. None is ever thinned."""
    return _list_stamped(folder, _ASIDE)


def _list_stamped(folder: Path, prefix: str) -> dict[datetime, Path]:
    by_moment = {}
    for path in folder.glob(f"{prefix}*{_SUFFIX}"):
        if moment := _moment(path.name[len(prefix) : -len(_SUFFIX)]):
            by_moment[moment] = path
    return dict(sorted(by_moment.items(), reverse=True))


def _moment(stamp: str) -> datetime | None:
    """Parse a stamp in the format `_STAMP`; None for another file name. `strptime` is avoided: its
    import would delay home's first paint by 2.5 ms."""
    day, time = stamp[:8], stamp[9:]
    iso = f"{day[:4]}-{day[4:6]}-{day[6:]}T{time[:2]}:{time[2:4]}:{time[4:]}"
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return None
    return moment if f"{moment:{_STAMP}}" == stamp else None


def back_up(connection: sqlite3.Connection, record: Path, now: datetime) -> Path | None:
    """Copy the record if rows came since the newest backup, and thin the old ones.

    The caller holds the folder's lock: two copies of one second have one name. Raises `OSError` or
    `sqlite3.Error` where the copy cannot be written.
    """
    rows = row_count(connection)
    folder = folder_of(record)
    newest = next(iter(list_backups(folder).values()), None)
    if not rows or (newest and _rows_of(newest) == rows):
        return None
    folder.mkdir(exist_ok=True)
    path = folder / f"{_PREFIX}{now:{_STAMP}}{_SUFFIX}"
    copy_to(connection, path)
    backups = list_backups(folder)
    for moment in set(backups) - choose_kept(backups, now):
        backups[moment].unlink()
    return path


def copy_to(connection: sqlite3.Connection, path: Path) -> None:
    """Copy the whole record into a new file, which appears complete or not at all."""
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with closing(sqlite3.connect(part)) as copy:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a -wal next to it
    os.replace(part, path)


def restore(connection: sqlite3.Connection, record: Path, backup: Path, now: datetime) -> Path:
    """Copy `backup` over the open record, as one transaction that other processes see whole.

    The caller holds the folder's lock. Returns the copy of what the record held. Raises `UsageError` for
    a file that is no record.
    """
    if backup.is_dir():
        raise UsageError(f"{backup} is a folder; `tutor backup --list` names the backups")
    if not backup.is_file():
        raise UsageError(f"no file {backup}; `tutor backup --list` names the backups")
    if not os.access(backup, os.R_OK):
        raise UsageError(f"you have no rights to read {backup}; nothing was changed")
    try:
        with closing(open_read_only(backup)) as copy:
            fault = find_fault(copy) or ("" if read_version(copy) else "it is empty")
            if fault:
                raise UsageError(f"{backup} is no whole record ({fault}); nothing was changed")
            if refusal := refusal_of(copy):
                raise UsageError(f"{backup} {refusal}; nothing was changed")
            folder = folder_of(record)
            folder.mkdir(exist_ok=True)
            aside = folder / f"{_ASIDE}{now:{_STAMP}}{_SUFFIX}"
            copy_to(connection, aside)
            checksums.unseal(record)
            copy.backup(connection)
            _drop_what_acts(connection)
    except (sqlite3.DatabaseError, UnicodeError) as error:
        raise UsageError(f"{backup} cannot be restored ({error})") from None
    return aside


def _drop_what_acts(connection: sqlite3.Connection) -> None:
    """Drop triggers and views. A record has none; those of a file from elsewhere would change what is
    written later."""
    kinds = "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')"
    for kind, name in connection.execute(kinds).fetchall():
        quoted = name.replace('"', '""')
        connection.execute(f'DROP {kind} "{quoted}"')


def back_up_at_start(connection: sqlite3.Connection, record: Path, now: datetime) -> None:
    """Back up the record. A large record is slow to copy, so it is copied once a day at most."""
    if record.stat().st_size <= LARGEST_FULL_READ or not _has_recent(record, now, _DAILY):
        back_up(connection, record, now)


def back_up_at_end(connection: sqlite3.Connection, record: Path, now: datetime) -> None:
    """Back up the record, in case its file is damaged before the next start. A large record is copied
    once in half an hour at most. The next start reports a failure, and makes up for a backup that was
    left out because another process was busy with the folder."""
    with (
        suppress(OSError, sqlite3.Error),
        one_process_at_a_time(record.parent, _PATIENCE) as alone,
    ):
        if not alone:
            return
        if record.stat().st_size <= LARGEST_FULL_READ or not _has_recent(record, now, _OFTEN):
            back_up(connection, record, now)


def _has_recent(record: Path, now: datetime, span: timedelta) -> bool:
    newest = next(iter(list_backups(folder_of(record))), None)
    return newest is not None and now.replace(tzinfo=None) - newest < span


def choose_kept(moments: Iterable[datetime], now: datetime) -> set[datetime]:
    """Return which of the backups made at `moments` are kept."""
    now = now.replace(tzinfo=None)
    newest_first = sorted(moments, reverse=True)
    recent = [moment for moment in newest_first if now - moment < _ALL_KEPT]
    older = newest_first[len(recent) :]
    halves = {(moment.date(), moment.hour, moment.minute // 30): moment for moment in recent[::-1]}
    keep = {*halves.values(), *(moment for moment in recent if now - moment < _JUST_MADE)}
    for period, count in _STAGES:
        taken: set[str] = set()
        while older and (f"{older[0]:{period}}" in taken or len(taken) < count):
            moment = older.pop(0)
            if f"{moment:{period}}" not in taken:
                taken.add(f"{moment:{period}}")
                keep.add(moment)
    return keep


def newest_sound(record: Path) -> tuple[datetime, Path] | None:
    """Return the newest complete backup and its local time."""
    for moment, path in list_backups(folder_of(record)).items():
        try:
            with closing(open_read_only(path)) as copy:
                if not find_fault(copy) and read_version(copy):
                    return moment, path
        except (sqlite3.Error, UnicodeError):
            continue
    return None


def _rows_of(backup: Path) -> int | None:
    """Return the number of rows in a backup; None if it cannot be read."""
    try:
        with closing(open_read_only(backup)) as copy:
            return row_count(copy)
    except (sqlite3.Error, UnicodeError):
        return None
