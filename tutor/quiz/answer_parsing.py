"""Conversion of typed text to a value and back, for a learner without a mouse."""

import re
from typing import Any

from tutor.course.model import Question
from tutor.course.reading.question import LONGEST_CODE
from tutor.quiz.numbers import read_number, read_range

LONGEST = 10_000  # characters of a typed answer
_BLANK = re.compile(r"\{(\d+)\}")


def parse_answer(question: Question, text: str) -> Any:
    """Return the value of `text` in the shape that docs/course-format.md gives for the kind.

    Understood are "b", "a c", "c a b", "a=x b=y", "312e12/2e12", "156 FLOP/B", "150..160",
    "mask | other", "line 3".
    Raises `ValueError` with one sentence that says what to type instead.
    """
    text = text.strip()
    if not text:
        raise ValueError("Nothing was typed.")
    if len(text) > LONGEST:
        raise ValueError(f"An answer has at most {LONGEST} characters.")
    kind = question.as_kind or question.kind
    if kind == "choice":
        return _key(text.strip("().`"), question.options)
    if kind == "multi":
        return sorted(set(_keys(text, question.options)), key=list(question.options).index)
    if kind == "number":
        ends = read_range(text, question.unit)
        return list(ends) if ends else read_number(text, question.unit)
    if kind == "order":
        return _order(text, question.items)
    if kind == "match":
        return _match(text, question)
    if kind == "fill":
        return _fill(text, question)
    if kind == "line":
        return _line(text, question)
    return text


def check_program(question: Question, text: str) -> str:
    """Return the learner's program for a `code` question.

    Raises `ValueError` where it is not to be judged: it is too long, or nothing in it has changed.
    """
    if len(text) > LONGEST_CODE:
        raise ValueError(f"The program has {len(text):,} characters; at most {LONGEST_CODE:,} fit.")
    if text.strip() == question.code.strip():
        raise ValueError("Nothing has changed yet: change the code first.")
    return text


def format_answer(question: Question, value: Any) -> str:
    """Return the text to type for `value`; the inverse of `parse_answer`."""
    kind = question.as_kind or question.kind
    if kind in ("multi", "order"):
        return " ".join(value)
    if kind == "match":
        return " ".join(f"{a}={x}" for a, x in value.items())
    if kind == "fill":
        return " | ".join(text.replace("|", r"\|") if len(value) > 1 else text for text in value)
    if kind == "number":
        ends = value if isinstance(value, list | tuple) else (value,)
        return f"{' .. '.join(map(repr, ends))} {question.unit}".rstrip()
    return str(value)


def _key(text: str, known: dict[str, str]) -> str:
    same = [key for key in known if key == text] or [
        key for key in known if key.casefold() == text.casefold()
    ]
    if len(same) != 1:
        raise ValueError(f"Type one of {', '.join(known)}.")
    return same[0]


def _keys(text: str, known: dict[str, str]) -> list[str]:
    words = re.split(r"[\s,;>]+", text.strip(" ,;>"))
    if len(words) == 1 and words[0] not in known and all(len(key) == 1 for key in known):
        words = list(words[0])  # "acb" where every key is one letter
    try:
        return [_key(word, known) for word in words]
    except ValueError:
        raise ValueError(f"Type keys among {', '.join(known)}, with spaces between.") from None


def _order(text: str, items: dict[str, str]) -> list[str]:
    keys = _keys(text, items)
    if sorted(keys) != sorted(items):
        raise ValueError(f"Type each of {', '.join(items)} once, first to last.")
    return keys


def _match(text: str, question: Question) -> dict[str, str]:
    example = f"{next(iter(question.left))}={next(iter(question.right))}"
    pairs = re.findall(r"([^\s,;=:]+)\s*[=:]\s*([^\s,;=:]+)", text)
    value: dict[str, str] = {}
    for left, right in pairs:
        key = _key(left, question.left)
        if key in value:
            raise ValueError(f"{key} has two partners; give it one.")
        value[key] = _key(right, question.right)
    if missing := [key for key in question.left if key not in value]:
        raise ValueError(f"Type a partner for {', '.join(missing)} too, as in {example}.")
    return value


def _fill(text: str, question: Question) -> list[str]:
    count = len(set(_BLANK.findall(question.code + question.text)))
    if count <= 1:
        return [text]
    parts = [part.strip().replace(r"\|", "|") for part in re.split(r"(?<!\\)\|", text)]
    if len(parts) != count or not all(parts):
        raise ValueError(f"Type {count} texts, with | between.")
    return parts


def _line(text: str, question: Question) -> int:
    count = len(question.code.split("\n"))
    match = re.fullmatch(r"(?:line|l)?\s*0*([0-9]{1,6})", text.casefold())
    if not match or not 1 <= int(match[1]) <= count:
        raise ValueError(f"Type the number of a line, 1 to {count}.")
    return int(match[1])
