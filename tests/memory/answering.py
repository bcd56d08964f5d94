"""Answers for a record, to questions that need not be in any course."""

from typing import Any

from tutor.course.model import AskedQuestion
from tutor.memory.answers import GivenAnswer
from tutor.memory.record import Record
from tutor.quiz import Grade


def keep_answer(  # noqa: PLR0913  every column of the table, for tests
    record: Record,
    question_id: str,
    day: int,
    value: Any,
    right: bool | None,
    credit: float,
    confidence: int | None,
    seconds: float,
    origin: str,
    numbers: dict[str, int | float] | None = None,
) -> int:
    """Keep an answer with that grade; returns the row's id. `numbers`: the question's, if it varies."""
    question = AskedQuestion(question_id, "text", "", "", day, numbers=numbers or {})
    given = GivenAnswer(question, value, confidence, seconds)
    return record.activity.answer(given, Grade(right, credit, "", "", ""), origin)
