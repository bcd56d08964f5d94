"""The learner's work on lessons, quizzes and exercises, and the place where it stopped."""

import json
from pathlib import Path
from typing import Any

from tutor.memory.schedule import replay
from tutor.memory.store.log import Log, local_time, text_id
from tutor.memory.store.rows import Answer, Attempt, Edit


class Activity:
    """The rows of lessons, quizzes and the lab: written, and read back."""

    def __init__(self, log: Log) -> None:
        self._log = log

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
        params: Any = None,
    ) -> int:
        """Keep an answer and reschedule its question. Returns the row's id.

        `origin`: "quiz", "predict" (in a lesson), "placement", "review" or "cram". `params`: the
        values of a generated variant (JSON). What a review asks is scheduled by the rating that the
        answer itself proposes; `review` may put the learner's own in its place.
        """
        with self._log.transaction() as db:
            row = self._log.append(
                "answers",
                question=question_id,
                day=day,
                value=json.dumps(value),
                correct=None if right is None else int(right),
                credit=float(credit),
                confidence=confidence,
                seconds=float(seconds),
                origin=origin,
                params=None if params is None else json.dumps(params),
            )
            replay.after_answer(db, row)
        return row

    def attempt(
        self, exercise: str, source: str, verdict: dict[str, Any], passed: bool, device: str
    ) -> int:
        """Keep a submission with its verdict and reschedule its exercise. Returns the row's id."""
        with self._log.transaction() as db:
            row = self._log.append(
                "attempts",
                exercise=exercise,
                passed=int(passed),
                device=device,
                source=text_id(db, source),
                verdict=json.dumps(verdict),
            )
            replay.after_attempt(db, row)
        return row

    def save_edit(self, exercise: str, path: Path | str, text: str) -> int:
        """Keep a version of the learner's file. The same text again adds no row."""
        with self._log.transaction() as db:
            kept = text_id(db, text)
            last = db.execute(
                "SELECT id, text FROM edits WHERE exercise = ? AND path = ? ORDER BY id DESC",
                (exercise, str(path)),
            ).fetchone()
            if last and last[1] == kept:
                return int(last[0])
            return self._log.append("edits", exercise=exercise, path=str(path), text=kept)

    def hint_shown(self, exercise: str, level: int) -> int:
        with self._log.transaction() as db:
            last_pass = replay.last_pass_before(db, exercise, None)
            return self._log.append("hints", exercise=exercise, level=level, after_pass=last_pass)

    def section_read(self, day: int, index: int) -> int:
        with self._log.transaction():
            return self._log.append("sections", day=day, section=index)

    def set_position(self, day: int, section_index: int) -> int:
        with self._log.transaction():
            return self._log.append("positions", day=day, section=section_index)

    def cell_run(self, day: int, index: int, ok: bool) -> int:
        with self._log.transaction():
            return self._log.append("cells", day=day, cell=index, ok=int(ok))

    # What is known of it

    def last_answer(self, question_id: str) -> Answer | None:
        rows = self._log.select(
            "SELECT id, at, question, day, value, correct, credit, confidence, seconds, "
            "origin, params "
            "FROM answers WHERE question = ? ORDER BY id DESC LIMIT 1",
            question_id,
        )
        for id_, at, of_question, day, value, right, credit, sure, seconds, origin, params in rows:
            return Answer(
                id_,
                local_time(at),
                of_question,
                day,
                json.loads(value),
                None if right is None else bool(right),
                credit,
                sure,
                seconds,
                origin,
                None if params is None else json.loads(params),
            )
        return None

    def times_answered(self, question_id: str) -> int:
        """The number of answers to a question on record."""
        ((count,),) = self._log.select(
            "SELECT count(*) FROM answers WHERE question = ?", question_id
        )
        return int(count)

    def attempts(self, exercise: str) -> tuple[Attempt, ...]:
        """Newest first."""
        rows = self._log.select(
            "SELECT attempts.id, at, exercise, body, verdict, passed, device "
            "FROM attempts JOIN texts ON texts.id = source WHERE exercise = ? "
            "ORDER BY attempts.id DESC",
            exercise,
        )
        return tuple(
            Attempt(id_, local_time(at), name, source, json.loads(verdict), bool(passed), device)
            for id_, at, name, source, verdict, passed, device in rows
        )

    def edits(self, exercise: str) -> tuple[Edit, ...]:
        """Newest first."""
        rows = self._log.select(
            "SELECT edits.id, at, exercise, path, body FROM edits JOIN texts ON texts.id = text "
            "WHERE exercise = ? ORDER BY edits.id DESC",
            exercise,
        )
        return tuple(Edit(id_, local_time(at), *rest) for id_, at, *rest in rows)

    def hints_shown(self, exercise: str) -> int:
        """Count the hints shown since the exercise last passed. A review starts without hints."""
        with self._log.reading() as db:
            return replay.hints_after(db, exercise, replay.last_pass_before(db, exercise, None))

    def position(self, day: int) -> int:
        """The section a lesson was left at; 0 for one not opened yet."""
        rows = self._log.select(
            "SELECT section FROM positions WHERE day = ? ORDER BY id DESC LIMIT 1", day
        )
        return int(rows[0][0]) if rows else 0

    def read_sections(self, day: int) -> set[int]:
        rows = self._log.select("SELECT DISTINCT section FROM sections WHERE day = ?", day)
        return {section for (section,) in rows}

    def passed_exercises(self) -> set[str]:
        rows = self._log.select("SELECT DISTINCT exercise FROM attempts WHERE passed")
        return {exercise for (exercise,) in rows}
