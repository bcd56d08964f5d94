"""Answers to computed questions about a learner's own right program.

They belong to a pass: the newest attempt that has rated the exercise's card. A wrong answer lowers that
rating by one step on the day of the pass, so that the card returns sooner. Questions may be left out
once an exercise; after that, one that is left out counts as not known.
"""

import json
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tutor.memory.schedule import card_updates
from tutor.memory.schedule.ratings import AGAIN
from tutor.memory.store.log import Log, LogRow
from tutor.memory.store.log import append as append_row

if TYPE_CHECKING:
    from tutor.course.model import AskedQuestion
    from tutor.memory.answers import GivenAnswer
    from tutor.quiz.grading import Grade

ASKED = 2  # questions about a pass
_PREFIX = "says"
_ORIGIN = "program"
_LEFT_OUT = '"left out"'  # the value of a row that says so; its `correct` is NULL


class _Rating(NamedTuple):
    id: int
    uid: int
    attempt: int
    rating: int
    seconds: float | None
    origin: str
    value: str | None

    @property
    def word_on_twist(self) -> str | None:
        """Return "yes" or "no"; None where the value is the number of days until the card is due, which
        another rating changes."""
        return None if self.value and self.value.isdecimal() else self.value


class ProgramAnswers:
    """Read and write the answers about passes."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def id_of_pass(self, exercise: str) -> str:
        """Return the beginning of the ids of all questions about the newest pass of an exercise."""
        with self._log.reading() as db:
            return _id_of_pass(db, exercise)

    def answered(self, exercise: str) -> frozenset[str]:
        """Return the ids of the questions about the newest pass that are answered or left out."""
        with self._log.reading() as db:
            rows = db.execute(
                "SELECT DISTINCT question FROM answers WHERE origin = ? AND question GLOB ?",
                (_ORIGIN, f"{_id_of_pass(db, exercise)}:*"),
            )
            return frozenset(question for (question,) in rows)

    def open_count(self, exercise: str) -> int:
        """Return how many questions about the newest pass are still to be asked."""
        return max(0, ASKED - len(self.answered(exercise)))

    def may_leave_out(self, exercise: str) -> bool:
        """Return True if questions about this exercise were never left out."""
        with self._log.reading() as db:
            return _may_leave_out(db, exercise)

    def keep(self, given: "GivenAnswer", grade: "Grade", exercise: str) -> int | None:
        """Keep an answer, and lower the rating of the pass if it is wrong. Returns the rating then; None
        if it stays as it was. Raises `StorageError`."""
        with self._log.transaction() as db:
            return self._keep(db, given, grade, exercise)

    def leave_out(self, exercise: str, questions: "Sequence[AskedQuestion]") -> int | None:
        """Leave these questions out. Returns the rating of the pass if that lowers it, which it does
        from the second time on."""
        from tutor.memory.answers import GivenAnswer
        from tutor.quiz.grading import grade

        rating = None
        with self._log.transaction() as db:
            if not _may_leave_out(db, exercise):
                for question in questions:
                    given = GivenAnswer(question, None)
                    lowered = self._keep(db, given, grade(question, None), exercise)
                    rating = lowered or rating
                return rating
            for question in questions:
                self._log.append(
                    "answers",
                    question=question.id,
                    day=question.day,
                    value=_LEFT_OUT,
                    correct=None,
                    credit=0.0,
                    seconds=0.0,
                    origin=_ORIGIN,
                )
        return None

    def _keep(
        self, db: sqlite3.Connection, given: "GivenAnswer", grade: "Grade", exercise: str
    ) -> int | None:
        question = given.question
        row = self._log.append(
            "answers",
            question=question.id,
            day=question.day,
            value=json.dumps(given.value_to_keep(grade)),
            correct=int(grade.right is True),
            credit=float(grade.credit),
            seconds=float(given.seconds),
            origin=_ORIGIN,
        )
        return None if grade.right else _lower_rating(db, row, exercise)


def _lower_rating(db: sqlite3.Connection, row: LogRow, exercise: str) -> int | None:
    """Put a rating one step lower in the place of today's rating by an attempt. Returns it."""
    item = card_updates.item_id(db, "exercise", exercise)
    known = _newest_rating(db, item, row.study_day)
    if known is None or known.rating == AGAIN:
        return None
    undo = {"card": item, "action": "undo", "value": str(known.uid)}
    append_row(db, "card_events", row.at, row.study_day, undo)
    card_updates.add_review(
        db,
        item,
        row.at,
        row.study_day,
        rating=known.rating - 1,
        seconds=known.seconds,
        origin=known.origin,
        attempt=known.attempt,
        value=known.word_on_twist,
    )
    return known.rating - 1


def _newest_rating(db: sqlite3.Connection, item: int, day: str) -> _Rating | None:
    """Return the valid rating by an attempt on this study day."""
    found = db.execute(
        "SELECT id, uid, attempt, rating, seconds, origin, value FROM card_events AS e "
        "WHERE card = ? AND action = 'review' AND attempt IS NOT NULL AND study_day = ? "
        f"AND NOT {card_updates.UNDONE} ORDER BY at DESC, id DESC LIMIT 1",
        (item, day),
    ).fetchone()
    return _Rating(*found) if found else None


def _id_of_pass(db: sqlite3.Connection, exercise: str) -> str:
    rated = db.execute(
        "SELECT count(*) FROM card_events AS e JOIN items ON items.id = card "
        "WHERE kind = 'exercise' AND key = ? AND action = 'review' AND attempt IS NOT NULL "
        f"AND NOT {card_updates.UNDONE}",
        (exercise,),
    ).fetchone()[0]
    return f"{_PREFIX}:{exercise}:{rated}"


def _may_leave_out(db: sqlite3.Connection, exercise: str) -> bool:
    found = db.execute(
        "SELECT 1 FROM answers WHERE origin = ? AND value = ? AND question GLOB ? LIMIT 1",
        (_ORIGIN, _LEFT_OUT, f"{_PREFIX}:{exercise}:*"),
    ).fetchone()
    return found is None
