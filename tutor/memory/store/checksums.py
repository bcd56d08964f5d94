"""Checksums that detect changed bits: SQLite checks its own structure but not the content of a row.

When a record is closed, its checksum is written next to it as the seal. A writer removes the seal
first. A file that agrees with its seal needs no other check. A file that disagrees was changed
by another program: then every row is compared with its own digest.
"""

import json
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from zlib import crc32

# Files up to this size are read at each start (a few ms); for a larger one, size and time must agree
LARGEST_FULL_READ = 16 << 20
_CHUNK = 1 << 20


def seal_file(record: Path) -> Path:
    """Return the path of the file beside the record that holds its checksums."""
    return record.with_name(record.name + ".seal")


def unseal(record: Path) -> None:
    """Remove the seal, inside the transaction that writes: no other process can seal meanwhile."""
    with suppress(FileNotFoundError):
        os.unlink(seal_file(record))


def seal(record: Path, db: sqlite3.Connection) -> None:
    """Write the seal, if no other process uses the file. A failure costs one check and no data."""
    try:
        busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            return
        db.execute("BEGIN IMMEDIATE")  # nobody writes until the seal is there
        try:
            part = seal_file(record).with_suffix(".part")
            part.write_text(json.dumps(_state(record, read=True)))
            if not _log_of(record):
                part.replace(seal_file(record))
        finally:
            db.execute("ROLLBACK")
    except (OSError, sqlite3.Error):
        return


def check_seal(record: Path) -> bool | None:
    """Return True if the file agrees with its seal; None if there is no seal to compare with."""
    try:
        noted = json.loads(seal_file(record).read_text())
        if _log_of(record):
            return None
        now = _state(record, read=record.stat().st_size <= LARGEST_FULL_READ)
        return all(noted[name] == value for name, value in now.items())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _state(record: Path, read: bool) -> dict[str, int]:
    stat = record.stat()
    if not read:
        return {"size": stat.st_size, "mtime_ns": stat.st_mtime_ns}
    checksum = 0
    with record.open("rb") as file:
        while chunk := file.read(_CHUNK):
            checksum = crc32(chunk, checksum)
    state = {"size": stat.st_size, "crc32": checksum}
    return state if stat.st_size <= LARGEST_FULL_READ else {**state, "mtime_ns": stat.st_mtime_ns}


def _log_of(record: Path) -> int:
    """Count the bytes in SQLite's write-ahead log, which are not in the file yet."""
    try:
        return record.with_name(record.name + "-wal").stat().st_size
    except FileNotFoundError:
        return 0
