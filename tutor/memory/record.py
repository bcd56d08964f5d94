"""The learner's record: every answer, attempt and edit is on disk before its method returns."""

import json
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.base.errors import UsageError
from tutor.memory.activity import Learning
from tutor.memory.checkpoints import Checkpoints
from tutor.memory.notes import Reading
from tutor.memory.opening import open_database
from tutor.memory.schedule import replay
from tutor.memory.schedule.reviews import Reviewing
from tutor.memory.store import backups, checksums
from tutor.memory.store.log import local_time
from tutor.memory.store.schema import row_count
from tutor.memory.store.study_day import now as system_clock

if TYPE_CHECKING:
    from tutor.memory.schedule.fitting import Fit
    from tutor.memory.transfer import Merged

FORWARD = timedelta(days=1)  # a clock this far behind the last row was put back


def open_record(path: Path, clock: Callable[[], datetime] = system_clock) -> "Record":
    """The record at `path`, made if need be; its `notice` says what was mended.

    `clock` gives the local time with its zone. Raises `UsageError` where the file cannot be used.
    """
    now = clock()
    connection, notice = open_database(path, now)
    record = Record(connection, path, clock, notice)
    if replay.is_stale(connection):
        record.rebuild()
    last = record.last_row()
    if last is not None and last - now > FORWARD:
        record.notice = (
            f"{record.notice} The clock says {now:%Y-%m-%d}, but the record was last used on "
            f"{last:%Y-%m-%d}: set the clock right, or reviews come late."
        ).strip()
    return record


class Record(Learning, Reviewing, Checkpoints, Reading):
    """An open record: everything the program knows of the learner."""

    def rebuild(self) -> None:
        """Compute the schedule anew from its rows."""
        with self._transaction() as db:
            replay.rebuild(db)

    def export(self, path: Path, tell: Callable[[int, int], None] = lambda _, __: None) -> int:
        """Write everything as JSON lines (tutor.memory.transfer); returns how many.

        `tell` is called with the lines that are written, and with how many there will be.
        """
        from tutor.memory.transfer import export_lines

        count = 0
        with self._reading() as db, path.open("w", encoding="utf-8") as file:
            kept = "SELECT 1 + (SELECT count(*) FROM texts) + (SELECT count(*) FROM items)"
            of = row_count(db) + int(db.execute(kept).fetchone()[0])
            for line in export_lines(db):
                file.write(f"{line}\n")
                count += 1
                tell(count, of)
        return count

    def merge(self, lines: Iterable[str], name: str) -> "Merged":
        """Put exported lines in; what is here already is passed over. `name` is for mistakes.

        Raises `UsageError` for a faulty line, and then nothing was changed.
        """
        from tutor.memory.transfer import import_lines

        with self._transaction() as db:
            return import_lines(db, lines, name)

    def back_up(self) -> Path:
        """A copy made now, unless the newest one has every row already; returns that one then."""
        with self._reading() as db:
            made = backups.back_up(db, self.path, self._clock())
            newest = next(iter(backups.dated(backups.folder_of(self.path)).values()), None)
        if made is None and newest is None:
            raise UsageError("there is nothing to back up yet")
        return made or newest or self.path

    def restore(self, backup: Path) -> Path:
        """Put a backup in the record's place; returns the copy of what was there before.

        Raises `UsageError` for a file that is no whole record of a version known here.
        """
        with self._reading() as db:
            aside = backups.restore(db, self.path, backup, self._clock())
            self._written = True
            if replay.is_stale(db):
                self.rebuild()
        return aside

    def fit(self) -> "Fit":
        """Parameters fitted to this learner, and their gain; changes nothing
        (tutor.memory.schedule.fitting)."""
        from tutor.memory.schedule import fitting
        from tutor.memory.schedule.fsrs import rules_in_use

        with self._reading_apart() as db:
            known, in_use = fitting.histories(db), rules_in_use(db).parameters
        return fitting.fit(known, in_use)

    def unfit(self) -> bool:
        """Take the newest fit back; returns whether an older one is in use now."""
        rows = self._select(
            "SELECT value FROM settings WHERE name = 'parameters' ORDER BY at DESC, id DESC LIMIT 2"
        )
        before = json.loads(rows[1][0]) if len(rows) > 1 else None
        self.set_setting("parameters", before)
        return before is not None

    def fit_offer(self) -> str:
        """One sentence when there are reviews enough for a first fit, else ""."""
        from tutor.memory.schedule.fitting import ENOUGH

        if self.setting("parameters") is not None:
            return ""
        rows = self._select("SELECT total(reviews - 1) FROM cards WHERE reviews > 1")
        count = int(rows[0][0])
        if count < ENOUGH:
            return ""
        return f"There are {count} reviews to learn from: `tutor fit` shows what fitting gains."

    def is_empty(self) -> bool:
        """Whether the learner has not done anything yet."""
        with self._reading() as db:
            return row_count(db) == 0

    def last_row(self) -> datetime | None:
        """When the learner last answered, handed in or rated something, in local time."""
        rows = self._select(
            "SELECT max(at) FROM (SELECT * FROM (SELECT at FROM answers ORDER BY id DESC LIMIT 1) "
            "UNION ALL SELECT * FROM (SELECT at FROM attempts ORDER BY id DESC LIMIT 1) "
            "UNION ALL SELECT * FROM (SELECT at FROM card_events ORDER BY id DESC LIMIT 1))"
        )
        return local_time(rows[0][0]) if rows[0][0] else None

    def close(self) -> None:
        """What was written is copied and sealed."""
        with self._lock:
            if self._written:
                self._written = False
                backups.back_up_at_end(self._db, self.path, self._clock())
                checksums.seal(self.path, self._db)
            self._db.close()
