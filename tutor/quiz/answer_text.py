"""The right answer as a person reads it."""

from tutor.course.model import Question
from tutor.quiz.numbers import show_range

PAIRED = " → "  # between the two texts of a pair; "=" or a dash would read as part of a formula


def answer_in_words(question: Question) -> str:
    """Return the answer as lines of plain text; "" where the answer is computed and not known yet."""
    answer, kind = question.answer, question.kind
    if kind == "open":
        return question.model
    if answer is None:
        return ""
    if kind == "choice":
        return _option(question, answer)
    if kind == "multi":
        return "\n".join(_option(question, key) for key in answer)
    if kind == "number":
        ends = (
            answer if isinstance(answer, list | tuple) else (answer,)
        )  # a learner's may be a range
        return show_range(ends, question.unit)
    if kind == "order":
        return "\n".join(f"{i}. {question.items[key]}" for i, key in enumerate(answer, 1))
    if kind == "match":
        pairs = answer.items()
        return "\n".join(f"{question.left[a]}{PAIRED}{question.right[x]}" for a, x in pairs)
    if kind == "fill":
        return " | ".join(answer)
    if kind == "line":
        lines = answer if isinstance(answer, tuple) else (answer,)
        code = question.code.split("\n")
        return "\n".join(f"line {n}: {code[n - 1].strip()}" for n in lines)
    return str(answer)


def _option(question: Question, key: str) -> str:
    """Return the option's text, after its key if that is the letter that the screen shows."""
    text = question.options[key]
    return f"{key}: {text}" if len(key) == 1 else text
