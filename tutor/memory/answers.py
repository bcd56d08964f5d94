"""An answer as the learner gave it; with its grade it is what the record keeps (`Activity.answer`)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tutor.course.model import AskedQuestion
from tutor.quiz.grading import Grade, grade
from tutor.quiz.option_order import to_author_keys


@dataclass(frozen=True)
class GivenAnswer:
    """An answer as the learner gave it. `value` is shaped by the question's kind, None for "I do not
    know", under the labels that were shown; `confidence` is 1 to 5 or None."""

    question: AskedQuestion
    value: Any
    confidence: int | None = None
    seconds: float = 0.0

    @property
    def on_machine(self) -> bool:
        """Return True if this machine must run something to grade the answer."""
        judged = self.question.kind == "code" and self.value is not None
        return bool(self.question.answer_from) or judged

    def grade(self, compute: Callable[[AskedQuestion, Any], Any] | None = None) -> Grade:
        """Grade the answer. `compute` finds what `grade` needs if that depends on the machine."""
        computed = compute(self.question, self.value) if compute and self.on_machine else None
        return grade(self.question, self.value, computed)

    def value_to_keep(self, result: Grade | None) -> Any:
        """Return the value in the author's keys, as JSON has it; a program with what the judge found."""
        value = to_author_keys(self.question, self.value)
        if self.question.kind == "code" and value is not None and result:
            return {"code": value, "cause": result.cause if result.right is not None else None}
        return value
