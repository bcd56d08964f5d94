"""The only path of an answer into the record: grade it, then store it with its grade."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tutor.course.model import Question
from tutor.memory.question_choice import values_of
from tutor.quiz.grading import Grade, grade
from tutor.quiz.option_order import meant

if TYPE_CHECKING:
    from tutor.memory.record import Record


@dataclass(frozen=True)
class GivenAnswer:
    """An answer as the learner gave it. `value` is shaped by the question's kind, None for "I do not
    know", under the labels that were shown; `confidence` is 1 to 5 or None."""

    question: Question
    value: Any
    confidence: int | None = None
    seconds: float = 0.0

    @property
    def on_machine(self) -> bool:
        """Return True if this machine must run something to grade the answer."""
        judged = self.question.kind == "code" and self.value is not None
        return bool(self.question.answer_from) or judged

    def grade(self, compute: Callable[[Question, Any], Any] | None = None) -> Grade:
        """Grade the answer. `compute` finds what `grade` needs if that depends on the machine."""
        computed = compute(self.question, self.value) if compute and self.on_machine else None
        return grade(self.question, self.value, computed)


def store_answer(
    record: "Record", given: GivenAnswer, result: Grade | None, origin: str, day: int | None = None
) -> int:
    """Keep an answer, in the author's keys, and reschedule its question. Returns the row's id.

    `result` is None while nobody can grade the answer yet. `day` is the day of the course where it
    was asked, the question's own unless given. `origin`: see `Activity.answer`.
    Raises `StorageError`.
    """
    question = given.question
    value = meant(question, given.value)
    if question.kind == "code" and value is not None and result:
        value = {"code": value, "cause": result.cause if result.right is not None else None}
    return record.activity.answer(
        question.id,
        question.day if day is None else day,
        value,
        result.right if result else None,
        result.credit if result else 0.0,
        given.confidence,
        given.seconds,
        origin,
        params=values_of(question),
    )
