"""Which variant of a question is asked next: another one each time it was answered."""

from typing import TYPE_CHECKING

from tutor.course.reading.variants import variant

if TYPE_CHECKING:
    from tutor.course.model import Question
    from tutor.memory.record import Record


def to_ask(record: "Record", question: "Question") -> "Question":
    """The question as it is to be asked now; the first variant the first time.

    The newest answer's row decides, so that the numbers stay the same until there is an answer.
    """
    if not question.params:
        return question
    last = record.last_answer(question.id)
    if last is None:
        return variant(question, 0)
    asked = variant(question, last.id)
    return variant(question, last.id + 1) if values_of(asked) == last.params else asked


def values_of(question: "Question") -> dict[str, int | float] | None:
    """The numbers of a variant, to be kept with its answer; None for a question without any."""
    return {name: values[0] for name, values in question.params.items()} or None
