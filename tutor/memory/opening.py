"""Open the record's file: check it, restore a damaged one from its backup, back it up.

A damaged file is never deleted: it is renamed, with "corrupt" in the new name.
"""

import os
import shutil
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

from tutor.base.paths import ensure
from tutor.memory.store import backups, checksums
from tutor.memory.store.connection import Damaged, connect, make_storage_error
from tutor.memory.store.folder_lock import one_process_at_a_time
from tutor.memory.store.schema import create_tables, read_version


def open_database(path: Path, now: datetime) -> tuple[sqlite3.Connection, str]:
    """Return a connection to the record and a notice about its opening for the learner, or "".

    The connection is in autocommit mode: a caller that writes several rows begins a transaction.
    Raises `StorageError` with one sentence where the folder or the file cannot be used.
    """
    ensure(path.parent)
    try:
        with one_process_at_a_time(path.parent):
            return _open(path, now)
    except (OSError, sqlite3.Error, Damaged) as error:
        raise make_storage_error(path, error) from None


def _open(path: Path, now: datetime) -> tuple[sqlite3.Connection, str]:
    notices = []
    aside = None
    newest = None if path.exists() else backups.newest_sound(path)
    if newest:
        notices.append(f"{path} is gone: a new record was started. The newest backup: {newest[1]}.")
    try:
        if (
            path.exists()
            and path.stat().st_size == 0
            and backups.list_backups(backups.folder_of(path))
        ):
            raise Damaged("it is empty")  # to SQLite an empty file is a new database
        connection = connect(path)
    except Damaged as damage:
        aside, sentence = _restore(path, str(damage), now)
        notices.append(sentence)
        connection = connect(path)
    try:
        if read_version(connection):
            backups.back_up_at_start(connection, path, now)
    except (OSError, sqlite3.Error) as error:
        notices.append(f"No backup was made in {backups.folder_of(path)}: {error}.")
    try:
        if not read_version(connection):
            checksums.unseal(path)
        create_tables(connection)
        if aside is not None:
            from tutor.memory.transfer import salvage  # rarely needed

            notices.append(salvage(connection, aside))
    except BaseException:
        connection.close()
        raise
    return connection, " ".join(notice for notice in notices if notice)


def _restore(path: Path, damage: str, now: datetime) -> tuple[Path, str]:
    """Rename the damaged file and put the newest sound backup in its place. Returns the damaged
    file's new path and a sentence for the learner."""
    aside = path
    while aside.exists():
        aside = path.with_name(f"{path.stem}.corrupt-{now:%Y%m%d-%H%M%S}{path.suffix}")
        now += timedelta(seconds=1)
    checksums.unseal(path)
    for suffix in ("", "-wal", "-shm"):  # SQLite would apply a remaining log to the restored file
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    sentence = f"The record was damaged ({damage}) and was put aside as {aside.name}."
    newest = backups.newest_sound(path)
    if newest is None:
        return aside, f"{sentence} There was no backup, so a new record was started."
    moment, backup = newest
    part = path.with_suffix(".part")
    shutil.copyfile(backup, part)
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(path)
    return aside, f"{sentence} It was restored from the backup of {moment:%Y-%m-%d %H:%M}."
