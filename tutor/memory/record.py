"""The learner's record: every answer, attempt and edit is on disk before its method returns."""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

from tutor.memory import progress, replay
from tutor.memory.database import open_database, unusable
from tutor.memory.progress import DayProgress, Due
from tutor.memory.rows import Answer, Attempt, Edit
from tutor.memory.studyday import now as system_clock
from tutor.memory.studyday import study_day


def open_record(path: Path, clock: Callable[[], datetime] = system_clock) -> "Record":
    """The record at `path`, made if need be; its `notice` says what was mended.

    `clock` gives the local time with its zone. Raises `UsageError` where the file cannot be used.
    """
    connection, notice = open_database(path, clock())
    record = Record(connection, path, clock, notice)
    if replay.is_stale(connection):
        record.rebuild()
    return record


class Record:
    """An open record. Its methods may be called from any thread; they raise `UsageError` with one
    sentence when the disk is full or the file was damaged meanwhile."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        clock: Callable[[], datetime],
        notice: str = "",
    ) -> None:
        self.path = path
        self.notice = notice
        self._db = connection
        self._clock = clock
        self._lock = threading.RLock()

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # What the learner did

    def answer(
        self,
        question_id: str,
        day: int,
        value: Any,
        right: bool | None,
        credit: float,
        confidence: int | None,
        seconds: float,
        origin: str,
    ) -> int:
        """Keep an answer and reschedule its question. Returns the row's id.

        `origin`: "quiz", "predict" (in a lesson) or "review".
        """
        with self._transaction() as db:
            row = self._append(
                "answers",
                question=question_id,
                day=day,
                value=json.dumps(value),
                correct=None if right is None else int(right),
                credit=float(credit),
                confidence=confidence,
                seconds=float(seconds),
                origin=origin,
            )
            replay.apply_answer(db, row)
        return row

    def attempt(
        self, exercise: str, source: str, verdict: dict[str, Any], passed: bool, device: str
    ) -> int:
        """Keep a submission with its verdict and reschedule its exercise. Returns the row's id."""
        with self._transaction() as db:
            row = self._append(
                "attempts",
                exercise=exercise,
                passed=int(passed),
                device=device,
                source=self._text_id(source),
                verdict=json.dumps(verdict),
            )
            replay.apply_attempt(db, row)
        return row

    def save_edit(self, exercise: str, path: Path | str, text: str) -> int:
        """Keep a version of the learner's file. The same text again adds no row."""
        with self._transaction() as db:
            text_id = self._text_id(text)
            last = db.execute(
                "SELECT id, text FROM edits WHERE exercise = ? AND path = ? ORDER BY id DESC",
                (exercise, str(path)),
            ).fetchone()
            if last and last[1] == text_id:
                return int(last[0])
            return self._append("edits", exercise=exercise, path=str(path), text=text_id)

    def hint_shown(self, exercise: str, level: int) -> int:
        with self._transaction() as db:
            last_pass = replay.last_pass_before(db, exercise, None)
            return self._append("hints", exercise=exercise, level=level, after_pass=last_pass)

    def section_read(self, day: int, index: int) -> int:
        with self._transaction():
            return self._append("sections", day=day, section=index)

    def set_position(self, day: int, section_index: int) -> int:
        with self._transaction():
            return self._append("positions", day=day, section=section_index)

    def cell_run(self, day: int, index: int, ok: bool) -> int:
        with self._transaction():
            return self._append("cells", day=day, cell=index, ok=int(ok))

    def rebuild(self) -> None:
        """Compute the schedule anew from the answers and attempts."""
        with self._transaction() as db:
            replay.rebuild(db)

    # What is known of it

    def last_answer(self, question_id: str) -> Answer | None:
        rows = self._select(
            "SELECT id, at, question, day, value, correct, credit, confidence, seconds, origin "
            "FROM answers WHERE question = ? ORDER BY id DESC LIMIT 1",
            question_id,
        )
        for id_, at, question, day, value, right, *rest in rows:
            right = None if right is None else bool(right)
            return Answer(id_, _local(at), question, day, json.loads(value), right, *rest)
        return None

    def attempts(self, exercise: str) -> tuple[Attempt, ...]:
        """Newest first."""
        rows = self._select(
            "SELECT attempts.id, at, exercise, body, verdict, passed, device "
            "FROM attempts JOIN texts ON texts.id = source WHERE exercise = ? "
            "ORDER BY attempts.id DESC",
            exercise,
        )
        return tuple(
            Attempt(id_, _local(at), name, source, json.loads(verdict), bool(passed), device)
            for id_, at, name, source, verdict, passed, device in rows
        )

    def edits(self, exercise: str) -> tuple[Edit, ...]:
        """Newest first."""
        rows = self._select(
            "SELECT edits.id, at, exercise, path, body FROM edits JOIN texts ON texts.id = text "
            "WHERE exercise = ? ORDER BY edits.id DESC",
            exercise,
        )
        return tuple(Edit(id_, _local(at), *rest) for id_, at, *rest in rows)

    def hints_shown(self, exercise: str) -> int:
        """How many hints were shown since the exercise last passed: a review starts without."""
        with self._reading() as db:
            return replay.hints_after(db, exercise, replay.last_pass_before(db, exercise, None))

    def position(self, day: int) -> int:
        """The section a lesson was left at; 0 for one not opened yet."""
        rows = self._select(
            "SELECT section FROM positions WHERE day = ? ORDER BY id DESC LIMIT 1", day
        )
        return int(rows[0][0]) if rows else 0

    def read_sections(self, day: int) -> set[int]:
        rows = self._select("SELECT DISTINCT section FROM sections WHERE day = ?", day)
        return {section for (section,) in rows}

    def passed_exercises(self) -> set[str]:
        rows = self._select("SELECT DISTINCT exercise FROM attempts WHERE passed")
        return {exercise for (exercise,) in rows}

    def due(self, today: date) -> Due:
        with self._reading() as db:
            return progress.due(db, today)

    def due_questions(self, today: date) -> tuple[str, ...]:
        with self._reading() as db:
            return progress.due_keys(db, "question", today)

    def due_exercises(self, today: date) -> tuple[str, ...]:
        with self._reading() as db:
            return progress.due_keys(db, "exercise", today)

    def day_progress(self) -> dict[int, DayProgress]:
        with self._reading() as db:
            return progress.day_progress(db)

    def minutes_by_day(self, last_days: int = 7) -> tuple[float, ...]:
        """Minutes at work on each of the last study days, oldest first, today last."""
        with self._reading() as db:
            return progress.minutes_by_day(db, study_day(self._clock()), last_days)

    # How rows get in and out

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing; on disk when the block is left."""
        with self._reading() as db:
            db.execute("BEGIN IMMEDIATE")  # waits for another process here, not half-way
            try:
                yield db
                db.execute("COMMIT")
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._db
            except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
                raise  # the caller's mistake, not the disk's
            except sqlite3.DatabaseError as error:
                raise unusable(self.path, error) from error

    def _select(self, query: str, *values: Any) -> list[Any]:
        with self._reading() as db:
            return db.execute(query, values).fetchall()

    def _append(self, table: str, **columns: Any) -> int:
        moment = self._clock()
        columns["at"] = moment.astimezone(timezone.utc).isoformat()
        columns["study_day"] = study_day(moment).isoformat()
        places = ", ".join("?" * len(columns))
        cursor = self._db.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})",
            tuple(columns.values()),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def _text_id(self, text: str) -> int:
        from hashlib import blake2b

        # half a surrogate pair, from a file that is not UTF-8, cannot be stored as text
        body = text.encode("utf-8", "replace")
        digest = blake2b(body, digest_size=16).digest()
        self._db.execute(
            "INSERT INTO texts (digest, body) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
            (digest, body.decode("utf-8")),
        )
        row = self._db.execute("SELECT id FROM texts WHERE digest = ?", (digest,)).fetchone()
        return int(row[0])


def _local(at: str) -> datetime:
    return datetime.fromisoformat(at).astimezone()
