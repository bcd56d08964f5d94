"""The learner's work on lessons, quizzes and exercises, and the place where it stopped."""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.memory.schedule import card_updates
from tutor.memory.store.log import Log, local_time, text_id
from tutor.memory.store.rows import Answer, Attempt, Edit, JudgedProgram

if TYPE_CHECKING:  # grading is not loaded where home is first painted
    from tutor.memory.answers import GivenAnswer
    from tutor.quiz.grading import Grade

# The newest first, by their second: within one, the record moves equal times apart. Add the number.
_NEWEST = "substr(at, 1, 19) DESC"


class Activity:
    """Write and read the rows of lessons, quizzes and the lab."""

    def __init__(self, log: Log) -> None:
        self._log = log

    # What the learner did

    def answer(
        self,
        given: "GivenAnswer",
        grade: "Grade | None",
        origin: str,
        day: int | None = None,
    ) -> int:
        """Keep an answer, in the author's keys, and reschedule its question. Returns the row's id.

        `grade` is None while nobody can grade the answer yet. `origin`: "quiz", "predict" (in a
        lesson), "retry" (in both, after another answer, and of no effect on the schedule),
        "placement", "review" or "cram". `day` is the day of the course where it was asked, the
        question's own unless given. The answer proposes a rating, which schedules the question. In a
        review the learner may replace that rating (`Reviews.rate`). Raises `StorageError`.
        """
        question = given.question
        right = grade.right if grade else None
        with self._log.transaction() as db:
            row = self._log.append(
                "answers",
                question=question.id,
                day=question.day if day is None else day,
                value=json.dumps(given.value_to_keep(grade)),
                correct=None if right is None else int(right),
                credit=float(grade.credit) if grade else 0.0,
                confidence=given.confidence,
                seconds=float(given.seconds),
                origin=origin,
                params=json.dumps(question.numbers) if question.numbers else None,
            )
            card_updates.after_answer(db, row, given, grade, origin)
        return row.id

    def attempt(self, judged: JudgedProgram) -> int:
        """Keep a submission with its verdict and reschedule its exercise. Returns the row's id."""
        with self._log.transaction() as db:
            row = self._log.append(
                "attempts",
                exercise=judged.exercise,
                passed=int(judged.passed),
                device=judged.device,
                source=text_id(db, judged.source),
                verdict=json.dumps(judged.verdict),
            )
            card_updates.after_attempt(db, row, judged)
        return row.id

    def save_edit(self, exercise: str, path: Path | str, text: str) -> int:
        """Keep a version of the learner's file. An unchanged text adds no row."""
        with self._log.transaction() as db:
            kept = text_id(db, text)
            last = db.execute(
                "SELECT id, text FROM edits WHERE exercise = ? AND path = ? "
                f"ORDER BY {_NEWEST}, id DESC LIMIT 1",
                (exercise, str(path)),
            ).fetchone()
            if last and last[1] == kept:
                return int(last[0])
            return self._log.append("edits", exercise=exercise, path=str(path), text=kept).id

    def hint_shown(self, exercise: str, level: int) -> int:
        with self._log.transaction() as db:
            last_pass = card_updates.last_pass_before(db, exercise, None)
            return self._log.append(
                "hints", exercise=exercise, level=level, after_pass=last_pass
            ).id

    def section_read(self, day: int, index: int) -> int:
        return self._log.add("sections", day=day, section=index)

    def set_position(self, day: int, section_index: int) -> int:
        return self._log.add("positions", day=day, section=section_index)

    def cell_run(self, day: int, index: int, ok: bool) -> int:
        return self._log.add("cells", day=day, cell=index, ok=int(ok))

    # What the record knows

    def last_answer(
        self, question_id: str, *, retries: bool = True, prefer: str = ""
    ) -> Answer | None:
        """The newest answer by its time, for an import may add older ones behind it. Without `retries`,
        tries after the right answer was shown do not count. `prefer`: an origin whose answers stand
        before all others."""
        rows = self._log.select(
            "SELECT id, at, question, day, value, correct, credit, confidence, seconds, "
            "origin, params "
            "FROM answers WHERE question = ? AND (? OR origin <> 'retry') "
            "ORDER BY origin = ? DESC, at DESC, id DESC LIMIT 1",
            question_id,
            retries,
            prefer,
        )
        if not rows:
            return None
        id_, at, of_question, day, value, right, *rest, params = rows[0]
        right = None if right is None else bool(right)
        drawn = None if params is None else json.loads(params)
        at, value = local_time(at), json.loads(value)
        return Answer._make((id_, at, of_question, day, value, right, *rest, drawn))

    def times_answered(self, question_id: str) -> int:
        """The number of answers to a question on record."""
        ((count,),) = self._log.select(
            "SELECT count(*) FROM answers WHERE question = ?", question_id
        )
        return int(count)

    def newest_attempts(self) -> dict[str, int]:
        """Exercise -> id of its newest attempt."""
        return dict(self._log.select("SELECT exercise, max(id) FROM attempts GROUP BY exercise"))

    def attempts(self, exercise: str) -> tuple[Attempt, ...]:
        """Newest first, by their second and then as they came: an import may add older ones behind."""
        rows = self._log.select(
            "SELECT attempts.id, at, exercise, body, verdict, passed, device "
            "FROM attempts JOIN texts ON texts.id = source WHERE exercise = ? "
            f"ORDER BY {_NEWEST}, attempts.id DESC",
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
            f"WHERE exercise = ? ORDER BY {_NEWEST}, edits.id DESC",
            exercise,
        )
        return tuple(Edit(id_, local_time(at), *rest) for id_, at, *rest in rows)

    def newest_edit(self, exercise: str, path: str) -> Edit | None:
        """Return the newest version of one file, without reading the others."""
        rows = self._log.select(
            "SELECT edits.id, at, exercise, path, body FROM edits JOIN texts ON texts.id = text "
            f"WHERE exercise = ? AND path = ? ORDER BY {_NEWEST}, edits.id DESC LIMIT 1",
            exercise,
            path,
        )
        return next((Edit(id_, local_time(at), *rest) for id_, at, *rest in rows), None)

    def hints_shown(self, exercise: str) -> int:
        """Count the hints shown since the exercise last passed. A review starts without hints."""
        with self._log.reading() as db:
            return card_updates.hints_after(
                db, exercise, card_updates.last_pass_before(db, exercise, None)
            )

    def hints_known(self, exercise: str) -> int:
        """Count the hints that a lab begins with: those shown so far, or, where a review is due, those
        shown since the exercise last passed."""
        with self._log.reading() as db:
            due = db.execute(
                "SELECT 1 FROM cards WHERE due <= ? AND id = "
                "(SELECT id FROM items WHERE kind = 'exercise' AND key = ?)",
                (self._log.study_day_of(db, self._log.clock()).isoformat(), exercise),
            ).fetchone()
            if due:
                last_pass = card_updates.last_pass_before(db, exercise, None)
                return card_updates.hints_after(db, exercise, last_pass)
            known = db.execute("SELECT max(level) FROM hints WHERE exercise = ?", (exercise,))
            return int(known.fetchone()[0] or 0)

    def newest_hint(self, exercise: str) -> datetime | None:
        """Return when a hint of the exercise was shown last."""
        rows = self._log.select("SELECT max(at) FROM hints WHERE exercise = ?", exercise)
        return local_time(rows[0][0]) if rows and rows[0][0] else None

    def position(self, day: int) -> int:
        """Return the section at which the learner left a lesson; 0 if it was never opened."""
        rows = self._log.select(
            f"SELECT section FROM positions WHERE day = ? ORDER BY {_NEWEST}, id DESC LIMIT 1",
            day,
        )
        return int(rows[0][0]) if rows else 0

    def last_read(self) -> dict[int, str]:
        """Return when each day was read last (ISO 8601, UTC), by day."""
        return dict(
            self._log.select(
                "SELECT day, max(at) FROM (SELECT day, at FROM positions "
                "UNION ALL SELECT day, at FROM sections UNION ALL SELECT day, at FROM cells "
                "UNION ALL SELECT day, at FROM answers WHERE origin = 'predict') GROUP BY day"
            )
        )

    def days_tried(self) -> set[int]:
        """Return the days of which a cell was run or a prediction or drill was answered."""
        rows = self._log.select(
            "SELECT day FROM cells UNION SELECT day FROM answers WHERE origin = 'predict'"
        )
        return {day for (day,) in rows}

    def last_quizzed(self) -> dict[int, str]:
        """Return when the quiz of each day was answered last (ISO 8601, UTC), by day."""
        return dict(
            self._log.select("SELECT day, max(at) FROM answers WHERE origin = 'quiz' GROUP BY day")
        )

    def worked_on(self) -> dict[str, str]:
        """Return when each exercise was worked on last (ISO 8601, UTC): a text was written or judged, or
        a hint shown."""
        return dict(
            self._log.select(
                "SELECT exercise, max(at) FROM (SELECT exercise, at FROM edits "
                "UNION ALL SELECT exercise, at FROM attempts "
                "UNION ALL SELECT exercise, at FROM hints) GROUP BY exercise"
            )
        )

    def place_to_go_on(self, day: int, sitting_ends: Sequence[int]) -> int:
        """Return the section at which to go on: where the learner left, or the beginning of the next
        sitting if that was the end of one and is read."""
        left = self.position(day)
        ended = left in sitting_ends[:-1] and left in self.read_sections(day)
        return min(left + ended, sitting_ends[-1]) if sitting_ends else left

    def read_sections(self, day: int) -> set[int]:
        rows = self._log.select("SELECT DISTINCT section FROM sections WHERE day = ?", day)
        return {section for (section,) in rows}

    def passed_exercises(self) -> set[str]:
        rows = self._log.select("SELECT DISTINCT exercise FROM attempts WHERE passed")
        return {exercise for (exercise,) in rows}
