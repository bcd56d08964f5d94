"""Opens the record's file so that it is whole, has a backup and is at the newest version.

A damaged file is never deleted: it is put aside under a name that says so.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from tutor.base.errors import UsageError
from tutor.base.paths import ensure
from tutor.memory.store import backups, checksums
from tutor.memory.store.schema import LOG_TABLES, VERSION, migrate, version_of

BUSY_SECONDS = 10.0  # how long to wait for another process; its transactions take milliseconds


class _Damaged(Exception):
    """The file is no sound database; the message says why."""


def open_database(path: Path, now: datetime) -> tuple[sqlite3.Connection, str]:
    """A connection to the record, and what a person must be told about its opening ("" if nothing).

    The connection is in autocommit mode: who writes several rows begins a transaction.
    Raises `UsageError` with one sentence where the folder or the file cannot be used.
    """
    ensure(path.parent)
    try:
        with _one_process_at_a_time(path.parent):
            return _open(path, now)
    except (OSError, sqlite3.Error, _Damaged) as error:
        raise unusable(path, error) from None


def unusable(path: Path, error: Exception) -> UsageError:
    """The one sentence for a record that cannot be read or written now."""
    return UsageError(f"cannot use the record {path} ({error}); free the disk or set TUTOR_HOME")


def _open(path: Path, now: datetime) -> tuple[sqlite3.Connection, str]:
    notices = []
    aside = None
    newest = None if path.exists() else backups.newest_sound(path)
    if newest:
        notices.append(f"{path} is gone: a new record was started. The newest backup: {newest[1]}.")
    try:
        connection = _connect(path)
    except _Damaged as damage:
        aside, told = _restore(path, str(damage), now)
        notices.append(told)
        connection = _connect(path)
    try:
        if version_of(connection):  # before migrating: a copy from before is what one wants back
            backups.back_up_at_start(connection, path, now)
            if version_of(connection) < VERSION:
                backups.keep_version(connection, path)
    except (OSError, sqlite3.Error) as error:
        notices.append(f"No backup was made in {backups.folder_of(path)}: {error}.")
    try:
        if version_of(connection) < VERSION:
            checksums.unseal(path)
        migrate(connection)
        if aside is not None:
            from tutor.memory.transfer import salvage  # rare

            notices.append(salvage(connection, aside))
    except BaseException:
        connection.close()
        raise
    return connection, " ".join(notice for notice in notices if notice)


@contextmanager
def _one_process_at_a_time(folder: Path) -> Iterator[None]:
    """Two processes that open a damaged record must not both put it aside."""
    import fcntl

    with (folder / "record.lock").open("w") as lock:
        with suppress(OSError):  # a file system without locks; one process is the usual case
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _connect(path: Path) -> sqlite3.Connection:
    """Raises `_Damaged`, or `sqlite3.OperationalError` where the file cannot be used at all."""
    if path.exists() and path.stat().st_size == 0 and backups.dated(backups.folder_of(path)):
        raise _Damaged("it is empty")  # to SQLite an empty file is a new database
    whole = checksums.sealed(path)
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # an answer survives a power cut
        connection.execute("PRAGMA foreign_keys = ON")
        fault = "" if whole else _fault(connection, path, whole)
    except sqlite3.DatabaseError as error:
        connection.close()
        # an OperationalError is about the folder, the disk or a lock, but for a bad header
        if isinstance(error, sqlite3.OperationalError) and "unsupported" not in str(error):
            raise
        raise _Damaged(str(error)) from None
    if fault:
        connection.close()
        raise _Damaged(fault)
    return connection


def _fault(connection: sqlite3.Connection, path: Path, whole: bool | None) -> str:
    """What is wrong with a file that has no seal, or (`whole` is False) disagrees with it."""
    fault = backups.fault_of(connection)
    if fault or whole is None or version_of(connection) != VERSION:
        return fault
    from tutor.memory.store.row_ids import forged

    try:
        if row := forged(connection, LOG_TABLES):
            return f"{row} is not what was written"
    except (sqlite3.DatabaseError, ValueError) as error:
        return str(error)
    # Every row is: what was changed can be computed anew, the indexes here, the cards and what is
    # known of the course when they are next needed.
    checksums.unseal(path)
    connection.execute("REINDEX")
    connection.execute("UPDATE items SET digest = ''")
    connection.execute("UPDATE cards SET algorithm = 'none'")
    return ""


def _restore(path: Path, damage: str, now: datetime) -> tuple[Path, str]:
    """Put the damaged file aside and the newest sound backup in its place. Returns where the
    damaged file is now, and what to say of it."""
    import shutil  # rare, and `tutor due` counts milliseconds

    aside = path
    while aside.exists():
        aside = path.with_name(f"{path.stem}.corrupt-{now:%Y%m%d-%H%M%S}{path.suffix}")
        now += timedelta(seconds=1)
    checksums.unseal(path)
    for suffix in ("", "-wal", "-shm"):  # a log left behind would be applied to the restored file
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    told = f"The record was damaged ({damage}) and was put aside as {aside.name}."
    newest = backups.newest_sound(path)
    if newest is None:
        return aside, f"{told} There was no backup, so a new record was started."
    moment, backup = newest
    part = path.with_suffix(".part")
    shutil.copyfile(backup, part)
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(path)
    return aside, f"{told} It was restored from the backup of {moment:%Y-%m-%d %H:%M}."
