"""The right answer as a person reads it."""

import difflib
import math

from tutor.course.model import Question
from tutor.quiz.numbers import show_range
from tutor.quiz.partial_order import neighbours_to_keep, pairs_to_keep

LEFT_OUT = "…"
_WHOLE, _AROUND = 9, 2  # lines of an answer that is shown whole, and lines shown beside a change


def pairing(text: str) -> str:
    """Return what stands behind the first text of a pair: an arrow, unless it has one itself. "=" or a
    dash would read as part of a formula."""
    return ": " if "→" in text else " → "


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
        # A learner's answer may be a range.
        ends = answer if isinstance(answer, list | tuple) else (answer,)
        return show_range(ends, question.unit)
    if kind == "order":
        placed = [f"{i}. {question.items[key]}" for i, key in enumerate(answer, 1)]
        return "\n".join([*placed, *_other_orders(question)])
    if kind == "match":
        pairs = [(question.left[key], answer[key]) for key in question.left if key in answer]
        return "\n".join(
            f"{text}{pairing(text)}{question.right[partner]}" for text, partner in pairs
        )
    if kind == "fill":
        return " | ".join(answer)
    if kind == "line":
        lines = answer if isinstance(answer, tuple) else (answer,)
        code = question.code.split("\n")
        return "\n".join(f"line {n}: {code[n - 1].strip()}" for n in lines)
    return str(answer)


def _other_orders(question: Question) -> list[str]:
    """Return the line that says which other orders are right; none where there is no other."""
    if len(pairs_to_keep(question)) == math.comb(len(question.answer), 2):
        return []
    number = {key: i for i, key in enumerate(question.answer, 1)}
    kept = [f"{number[a]} before {number[b]}" for a, b in neighbours_to_keep(question)]
    return [f"Any other order that keeps {', '.join(kept)} is right too."]


def extract_changes(begun: str, answer: str) -> str:
    """Return the lines of a right program that differ from what the learner began with.

    A few lines around them are kept, and comments of a long program are not: the explanation says why.
    A short program stays whole.
    """
    if len(answer.strip("\n").split("\n")) <= _WHOLE:
        return answer
    old, new = (
        [line for line in text.strip("\n").split("\n") if not line.lstrip().startswith("#")]
        for text in (begun, answer)
    )
    parts: list[str] = []
    end = 0
    for group in difflib.SequenceMatcher(None, old, new, False).get_grouped_opcodes(_AROUND):
        start, stop = group[0][3], group[-1][4]
        parts += [LEFT_OUT] * (start > end)
        parts.append("\n".join(new[start:stop]).strip("\n"))
        end = stop
    parts += [LEFT_OUT] * (end < len(new))
    return "\n".join(parts) if end else answer


def compare_options(question: Question, picked: set[str]) -> dict[str, list[str]]:
    """Return the options of a `multi` question by what came of them: right, missing, wrong.

    An option is named by its letter, which stands before it on the screen, or by its text.
    """
    sides: dict[str, list[str]] = {}
    for key, text in question.options.items():
        if key in picked or key in question.answer:
            side = (
                "Missing" if key not in picked else "Right" if key in question.answer else "Wrong"
            )
            sides.setdefault(side, []).append(key if len(key) == 1 else text)
    return {side: sides[side] for side in ("Right", "Missing", "Wrong") if side in sides}


def _option(question: Question, key: str) -> str:
    """Return the option's text, after its key if that is the letter that the screen shows."""
    text = question.options[key]
    return f"{key}: {text}" if len(key) == 1 else text
