"""A record that cannot be written: a copy in memory is read, and every write is refused."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from tutor.base.errors import StorageError
from tutor.memory.store.connection import find_fault, open_read_only
from tutor.memory.store.log import Log
from tutor.memory.store.schema import create_tables


class ReadingLog(Log):
    """A log of which nothing is written. `reason` is the sentence of each `StorageError`."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        clock: Callable[[], datetime],
        reason: str,
    ) -> None:
        super().__init__(connection, path, clock)
        self.reason = reason

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        raise StorageError(f"reading only, nothing is kept: {self.reason}")
        yield self.connection  # pragma: no cover

    @contextmanager
    def reading_apart(self) -> Iterator[sqlite3.Connection]:
        with self.reading() as db:
            yield db


def copy_in_memory(path: Path) -> sqlite3.Connection:
    """Copy the record at `path` into memory; an empty record if there is none.

    Raises `sqlite3.Error` for a file that cannot be read or is damaged.
    """
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        if path.exists():
            with closing(_source(path)) as source:
                source.backup(copy)
            if fault := find_fault(copy):
                raise sqlite3.DatabaseError(fault)
        create_tables(copy)
    except BaseException:
        copy.close()
        raise
    return copy


def _source(path: Path) -> sqlite3.Connection:
    """Open the file to read. SQLite needs a file beside it even for that; where it cannot make one,
    the record is read as it was when it was last closed."""
    source = open_read_only(path)
    try:
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        source.close()
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        source = sqlite3.connect(uri, uri=True)
    return source
