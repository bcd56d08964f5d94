"""Writing and reading rows: each act is one transaction, which is on disk when it returns."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from tutor.memory.store import checksums, settings
from tutor.memory.store.connection import make_storage_error, open_read_only
from tutor.memory.store.row_ids import text_digest, to_portable, uid_of, wait_a_moment


class LogRow(NamedTuple):
    """A row that was appended: `at` is its instant in UTC, `study_day` the learner's day (both ISO
    8601)."""

    id: int
    at: str
    study_day: str


class Log:
    """The open file. Its methods may be called from any thread; they raise `StorageError` with one
    sentence when the disk is full or the file was damaged meanwhile."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        clock: Callable[[], datetime],
    ) -> None:
        self.path = path
        self.connection = connection
        self.clock = clock
        self.lock = threading.RLock()
        self.written = False

    def today(self) -> date:
        """The study day that it is now, by the learner's settings."""
        with self.reading() as db:
            return self.study_day_of(db, self.clock())

    def study_day_of(self, db: sqlite3.Connection, moment: datetime) -> date:
        """Return the study day of a moment, by the learner's settings."""
        return settings.study_day_of(db, moment)

    def say_begin(self, db: sqlite3.Connection, day: date) -> str:
        """Return `, from 4:00 on` if the study day begins later on the clock's date; else ""."""
        return settings.say_begin(db, day, self.clock())

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the block as one transaction, which is on disk when the block is left."""
        with self.reading() as db, db:
            db.execute("BEGIN IMMEDIATE")  # waits for another process here, not half-way
            checksums.unseal(self.path)
            self.written = True
            yield db

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self.lock, self._usable():
            yield self.connection

    @contextmanager
    def reading_apart(self) -> Iterator[sqlite3.Connection]:
        """Read a snapshot by a separate connection, for queries that take seconds in a large record: no
        other thread waits for them."""
        with self._usable(), closing(open_read_only(self.path)) as db:
            db.execute("BEGIN")
            yield db

    @contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise  # a mistake of the caller, not of the disk
        except (sqlite3.DatabaseError, OSError) as error:
            raise make_storage_error(self.path, error) from error

    def select(self, query: str, *values: Any) -> list[Any]:
        with self.reading() as db:
            return db.execute(query, values).fetchall()

    def add(self, table: str, **columns: Any) -> int:
        """Add a row about now in a separate transaction. Returns its id."""
        with self.transaction():
            return self.append(table, **columns).id

    def append(self, table: str, **columns: Any) -> LogRow:
        """Append a row about now, in the caller's transaction."""
        moment = self.clock()
        at = moment.astimezone(timezone.utc).isoformat()
        return append(
            self.connection,
            table,
            at,
            self.study_day_of(self.connection, moment).isoformat(),
            columns,
        )


def append(
    db: sqlite3.Connection, table: str, at: str, day: str, columns: dict[str, Any]
) -> LogRow:
    """Append a row to the log. If an equal row exists (two acts within the clock's resolution), the
    new row is dated a microsecond later."""
    while True:
        row = {**columns, "at": at, "study_day": day}
        row["uid"] = uid_of(table, to_portable(db, table, row))
        places = ", ".join("?" * len(row))
        cursor = db.execute(
            f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places}) "
            "ON CONFLICT (uid) DO NOTHING",
            tuple(row.values()),
        )
        if cursor.rowcount:
            assert cursor.lastrowid is not None
            return LogRow(cursor.lastrowid, at, day)
        at = wait_a_moment(at)


def text_id(db: sqlite3.Connection, text: str) -> int:
    """Return the id of a text's row. Each text is stored once."""
    body = storable(text)
    digest = text_digest(body)
    db.execute(
        "INSERT INTO texts (digest, body) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
        (digest, body),
    )
    row = db.execute("SELECT id FROM texts WHERE digest = ?", (digest,)).fetchone()
    return int(row[0])


def storable(text: str) -> str:
    """Replace lone surrogates (from a file that is not UTF-8), which SQLite cannot store."""
    return text.encode("utf-8", "replace").decode("utf-8")


def local_time(at: str) -> datetime:
    """Read a row's time, which is stored in UTC, as one of the local time zone."""
    return datetime.fromisoformat(at).astimezone()
