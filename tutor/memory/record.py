"""The learner's record: every answer, attempt and edit is on disk before its method returns."""

import sqlite3
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.base.atomic_files import make_write_error
from tutor.base.errors import StorageError, UsageError
from tutor.memory.activity import Activity
from tutor.memory.checkpoints import Checkpoints
from tutor.memory.kept_runs import KeptRuns
from tutor.memory.notes import Notes
from tutor.memory.opening import open_database
from tutor.memory.program_answers import ProgramAnswers
from tutor.memory.schedule import card_updates
from tutor.memory.schedule.course_items import CourseItems
from tutor.memory.schedule.learner_settings import LearnerSettings
from tutor.memory.schedule.reviews import Reviews
from tutor.memory.statistics.queries import StatisticsQueries
from tutor.memory.store import backups, checksums, set_aside
from tutor.memory.store.folder_lock import one_process_at_a_time
from tutor.memory.store.log import Log, local_time
from tutor.memory.store.schema import row_count
from tutor.memory.store.study_day import now as system_clock

if TYPE_CHECKING:
    from tutor.memory.transfer import Merged

CLOCK_TOLERANCE = timedelta(days=1)  # a clock this far behind the last row was put back


def open_record(path: Path, clock: Callable[[], datetime] = system_clock) -> "Record":
    """Open the record at `path`, or create it. Its `notice` says what was repaired.

    `clock` gives the local time with its zone. Raises `StorageError` where the file cannot be used.
    """
    now = clock()
    connection, notice = open_database(path, now)
    record = Record(Log(connection, path, clock), notice)
    record.mend()
    last = record.last_row()
    if last is not None and last - now > CLOCK_TOLERANCE:
        record.notice = (
            f"{record.notice} The clock says {now:%Y-%m-%d}, but the record was last used on "
            f"{last:%Y-%m-%d}: set the clock right, or reviews come late."
        ).strip()
    return record


def open_or_read(path: Path) -> "Record":
    """Open the record at `path`; one that cannot be written only to read."""
    try:
        return open_record(path)
    except StorageError as trouble:
        return open_for_reading(path, trouble)


def open_for_reading(
    path: Path, trouble: StorageError, clock: Callable[[], datetime] = system_clock
) -> "Record":
    """Open a record that cannot be written, to read. Each of its writes raises `StorageError`.

    `trouble` says why it cannot be written; it is raised if the record cannot be read either.
    """
    from tutor.memory.store.reading_copy import ReadingLog, copy_in_memory

    try:
        connection = copy_in_memory(path)
    except (OSError, sqlite3.Error, UnicodeError):
        raise trouble from None
    notice = f"Reading only: {trouble}. Nothing that you answer or write now is kept."
    checked = set_aside.is_checked(connection)
    if not checked and (aside := set_aside.set_rows_aside(connection)):
        card_updates.rebuild(connection)
        notice = f"{notice} {aside}"
    return Record(ReadingLog(connection, path, clock, str(trouble)), notice)


class Record:
    """An open record: everything that the program knows about the learner, by subject.

    Its methods and those of its parts may be called from any thread. They raise `StorageError` with
    one sentence when the disk is full or the file was damaged meanwhile.
    """

    def __init__(self, log: Log, notice: str = "") -> None:
        self.log = log
        self.notice = notice
        self.activity = Activity(log)
        self.checkpoints = Checkpoints(log)
        self.course_items = CourseItems(log)
        self.kept_runs = KeptRuns(log)
        self.notes = Notes(log)
        self.program_answers = ProgramAnswers(log)
        self.reviews = Reviews(log)
        self.settings = LearnerSettings(log)
        self.statistics = StatisticsQueries(log)

    @property
    def path(self) -> Path:
        return self.log.path

    def today(self) -> date:
        """Return the current study day, by the learner's settings."""
        return self.log.today()

    def study_day(self, moment: datetime) -> date:
        """Return the study day of a moment, by the learner's settings."""
        with self.log.reading() as db:
            return self.log.study_day_of(db, moment)

    def say_begin(self, day: date) -> str:
        """Return `, from 4:00 on` if the study day begins later on the clock's date; else ""."""
        with self.log.reading() as db:
            return self.log.say_begin(db, day)

    def mend(self) -> None:
        """Put rows aside that nothing can read, and compute cards anew that follow other rules. Adds to
        `notice` what was put aside."""
        if not set_aside.is_checked(self.log.connection):
            with self.log.transaction() as db:
                if aside := set_aside.set_rows_aside(db):
                    card_updates.rebuild(db)
                    self.notice = f"{self.notice} {aside}".strip()
        if card_updates.is_stale(self.log.connection):
            self.rebuild()

    def rebuild(self) -> None:
        """Compute all cards anew from the rows."""
        with self.log.transaction() as db:
            card_updates.rebuild(db)

    def export(
        self,
        path: Path,
        report: Callable[[int, int], None] = lambda _, __: None,
        named: Path | None = None,
    ) -> int:
        """Write everything as JSON lines (tutor.memory.transfer); returns the number of
        entries, as `merge` counts them: texts and names have lines of their own.

        `report` is called with the number of written lines and the number of all lines. Raises
        `StorageError` where `path` cannot be written; it names `named`, or else `path`.
        """
        from tutor.memory.transfer import export_lines

        count = 0
        with self.log.reading() as db:
            kept = "SELECT 1 + (SELECT count(*) FROM texts) + (SELECT count(*) FROM items)"
            entries = row_count(db)
            of = entries + int(db.execute(kept).fetchone()[0])
            try:
                with path.open("w", encoding="utf-8") as file:
                    for line in export_lines(db):
                        file.write(f"{line}\n")
                        count += 1
                        report(count, of)
            except OSError as error:  # of this file: errors of the record are SQLite's
                raise make_write_error(named or path, error) from None
        return entries

    def merge(self, lines: Iterable[str], name: str) -> "Merged":
        """Add exported rows, except those that the record has. `name` is for error messages.

        Raises `UsageError` for a faulty line; then nothing has changed.
        """
        from tutor.memory.transfer import import_lines

        with self.log.transaction() as db:
            return import_lines(db, lines, name)

    def back_up(self) -> Path:
        """Make a backup and return it, or return the newest one if it has every row already."""
        with self.log.reading() as db, one_process_at_a_time(self.path.parent):
            made = backups.back_up(db, self.path, self.log.clock())
            newest = next(iter(backups.list_backups(backups.folder_of(self.path)).values()), None)
        if made is None and newest is None:
            raise UsageError("there is nothing to back up yet")
        return made or newest or self.path

    def restore(self, backup: Path) -> Path:
        """Replace the record by a backup. Returns the copy of what the record held before.

        Raises `UsageError` for a file that is no sound record of the known version.
        """
        with self.log.reading() as db, one_process_at_a_time(self.path.parent):
            aside = backups.restore(db, self.path, backup, self.log.clock())
            self.log.written = True
            set_aside.forget_check(db)
            self.mend()
        return aside

    def is_empty(self) -> bool:
        """Return True if the learner has not done anything yet."""
        with self.log.reading() as db:
            return row_count(db) == 0

    def last_row(self) -> datetime | None:
        """Return the local time of the newest answer, attempt or rating; None if there is none."""
        rows = self.log.select(
            "SELECT max(at) FROM (SELECT * FROM (SELECT at FROM answers ORDER BY id DESC LIMIT 1) "
            "UNION ALL SELECT * FROM (SELECT at FROM attempts ORDER BY id DESC LIMIT 1) "
            "UNION ALL SELECT * FROM (SELECT at FROM card_events ORDER BY id DESC LIMIT 1))"
        )
        return local_time(rows[0][0]) if rows[0][0] else None

    def close(self) -> None:
        """Back up and seal the file if anything was written, then close it."""
        with self.log.lock:
            if self.log.written:
                self.log.written = False
                backups.back_up_at_end(self.log.connection, self.path, self.log.clock())
                checksums.seal(self.path, self.log.connection)
            self.log.connection.close()
