"""Connections to a record's file, and the checks that tell a sound file from a damaged one."""

import os
import sqlite3
from pathlib import Path

from tutor.base.errors import StorageError
from tutor.memory.store import checksums
from tutor.memory.store.schema import (
    LOG_TABLES,
    VERSION,
    columns_of,
    known_columns,
    read_version,
    tables_of,
)

BUSY_SECONDS = 10.0  # how long to wait for another process; its transactions take milliseconds
SYNCHRONOUS = "FULL"  # an answer survives a power cut


class Damaged(Exception):
    """The file is not a sound database; the message gives the reason."""


def make_storage_error(path: Path, error: Exception) -> StorageError:
    """Return the error for a record that cannot be read or written now."""
    there = path if os.path.exists(path) else path.parent
    if isinstance(error, PermissionError) or not os.access(there, os.R_OK | os.W_OK):
        way = "you have no rights to it: take them, or set TUTOR_HOME to a folder you own"
    else:
        way = "free the disk or set TUTOR_HOME"
    return StorageError(f"cannot use the record {path} ({error}); {way}")


def open_read_only(path: Path) -> sqlite3.Connection:
    """Open a record's file to read. Raises `sqlite3.OperationalError` if it cannot be opened."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def find_fault(connection: sqlite3.Connection) -> str:
    """Describe what is wrong with a database, or return "".

    Raises `sqlite3.DatabaseError` for a file that is no database.
    """
    result: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if result != "ok":
        return result
    version = read_version(connection)
    if version and not tables_of(connection).issuperset(LOG_TABLES):
        return "tables are missing"
    if version == VERSION and known_columns() - columns_of(connection):
        return "columns are missing"
    return ""


def connect(path: Path) -> sqlite3.Connection:
    """Open the record in autocommit mode and check the file.

    Raises `Damaged`, or `sqlite3.OperationalError` if the file cannot be used at all.
    """
    whole = checksums.check_seal(path)
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
        connection.execute("PRAGMA foreign_keys = ON")
        fault = "" if whole else _fault(connection, path, whole)
    except UnicodeDecodeError:  # SQLite's own sentence, which quotes the damaged text
        connection.close()
        raise Damaged("the text of its tables is no UTF-8") from None
    except sqlite3.DatabaseError as error:
        connection.close()
        # an OperationalError concerns the folder, the disk or a lock, except for a bad header
        if isinstance(error, sqlite3.OperationalError) and "unsupported" not in str(error):
            raise
        raise Damaged(str(error)) from None
    if fault:
        connection.close()
        raise Damaged(fault)
    return connection


def _fault(connection: sqlite3.Connection, path: Path, whole: bool | None) -> str:
    """Describe what is wrong with a file that has no seal, or (`whole` is False) disagrees with it."""
    fault = find_fault(connection)
    if fault or whole is None or read_version(connection) != VERSION:
        return fault
    from tutor.memory.store.row_ids import find_forged_row

    try:
        if row := find_forged_row(connection, LOG_TABLES):
            return f"{row} is not what was written"
    except (sqlite3.DatabaseError, ValueError) as error:  # UnicodeDecodeError is a ValueError
        return str(error)
    # Every row is intact, so the rest can be computed anew: the indexes here, the cards and the
    # items of the course when they are next needed.
    checksums.unseal(path)
    connection.execute("REINDEX")
    connection.execute("UPDATE items SET digest = ''")
    connection.execute("UPDATE cards SET algorithm = 'none'")
    return ""
