"""Hold the columns of a row against the rules of the log. A row of a file that somebody made is held
against them before it enters (`tutor import`), and rows that are there already when a record is first
opened (`set_aside`).

SQLite's own types and constraints do not suffice: a time that is no time, or a nested value, ends each
command that reads it.
"""

import json
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from math import isfinite
from typing import Any

from tutor.base.errors import UsageError
from tutor.memory.store import settings
from tutor.memory.store.study_day import FIRST_YEAR, LAST_YEAR

_NAME, _LINE, _TEXT = 200, 2_000, 1 << 24  # characters
_LARGEST = (1 << 63) - 1  # integer of SQLite
_DEEPEST = 100  # levels of lists and objects in a value
_WORD = re.compile(r"[a-z][a-z0-9 _-]{0,39}")
_KINDS = ("question", "exercise", "term")
# Of `schedule.cards.fold`, and what takes one of them back.
_ACTIONS = (
    "review",
    "enter",
    "bury",
    "suspend",
    "unsuspend",
    "flag",
    "note",
    "revise",
    "undo",
)

# Each returns what the value must be instead, or "".
Check = Callable[[Any], str]


def _time(value: Any) -> str:
    wanted = "an instant in UTC (ISO 8601)"
    try:
        moment = datetime.fromisoformat(value)
    except (ValueError, TypeError):
        return wanted
    # Rows are put in order by their texts, so one instant has one text.
    if moment.utcoffset() != timedelta(0) or moment.isoformat() != value:
        return wanted
    return _year(moment.year)


def _day(value: Any) -> str:
    try:
        day = date.fromisoformat(value)
    except (ValueError, TypeError):
        return "a day (ISO 8601)"
    return _year(day.year) if day.isoformat() == value else "a day (ISO 8601)"


def _year(year: int) -> str:
    fits = FIRST_YEAR <= year <= LAST_YEAR
    return "" if fits else f"of a year from {FIRST_YEAR} to {LAST_YEAR}"


def _whole(low: int, high: int) -> Check:
    def check(value: Any) -> str:
        fits = type(value) is int and low <= value <= high
        return "" if fits else f"a whole number from {low} to {high}"

    return check


def _number(high: float) -> Check:
    def check(value: Any) -> str:
        fits = type(value) in (int, float) and isfinite(value) and 0 <= value <= high
        return "" if fits else f"a number from 0 to {high:g}"

    return check


def _text(longest: int, shortest: int = 0) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, str) or not shortest <= len(value) <= longest:
            return f"a text of {shortest} to {longest} characters"
        try:
            value.encode()
        except UnicodeEncodeError:
            return "a text without half a character"
        # A learner's file may hold NUL; a name may not.
        return "a text without NUL" if "\0" in value and longest < _TEXT else ""

    return check


def _one_of(*known: object) -> Check:
    def check(value: Any) -> str:
        fits = any(type(value) is type(each) and value == each for each in known)
        return "" if fits else f"one of {', '.join(map(str, known))}"

    return check


def _json(value: Any) -> str:
    if fault := _text(_TEXT)(value):
        return fault
    try:
        inside: list[Any] = [[json.loads(value)]]
    except (ValueError, RecursionError):
        return "JSON"
    for _ in range(_DEEPEST):
        inside = [
            below
            for each in inside
            for below in (each.values() if isinstance(each, dict) else each)
            if isinstance(below, dict | list)
        ]
        if not inside:
            return ""
    return f"JSON of at most {_DEEPEST} levels"


def _json_object(value: Any) -> str:
    return _json(value) or ("" if value.lstrip().startswith("{") else "a JSON object")


def _word(value: Any) -> str:
    return "" if isinstance(value, str) and _WORD.fullmatch(value) else "a short word"


def _card(value: Any) -> str:
    """Check the portable name of a card."""
    wanted = '["question" | "exercise" | "term", key]'
    if _json(value):
        return wanted
    name = json.loads(value)
    fits = isinstance(name, list) and len(name) == 2 and name[0] in _KINDS
    return "" if fits and not _text(_NAME, 1)(name[1]) else wanted


def _digest(value: Any) -> str:
    fits = isinstance(value, str) and re.fullmatch(r"[0-9a-f]{32}", value)
    return "" if fits else "the digest of a text"


_NUMBER_OF_A_DAY = _whole(0, 9_999)
_UID = _whole(-_LARGEST - 1, _LARGEST)
_SECONDS = _number(1e9)
_BIT = _one_of(0, 1)
_KEY = _text(_NAME, 1)
_ALWAYS: dict[str, Check] = {"at": _time, "study_day": _day}

# Columns that a row must have, and those that it may lack, by table; references as a merge names them.
_NEEDED: dict[str, dict[str, Check]] = {
    "answers": {
        "question": _KEY,
        "day": _NUMBER_OF_A_DAY,
        "value": _json,
        "credit": _number(1),
        "seconds": _SECONDS,
        "origin": _word,
    },
    "attempts": {
        "exercise": _KEY,
        "passed": _BIT,
        "device": _text(_LINE),
        "source": _digest,
        "verdict": _json_object,
    },
    "edits": {"exercise": _KEY, "path": _text(1 << 13), "text": _digest},
    "hints": {"exercise": _KEY, "level": _whole(0, 999)},
    "sections": {"day": _NUMBER_OF_A_DAY, "section": _whole(0, 9_999)},
    "positions": {"day": _NUMBER_OF_A_DAY, "section": _whole(0, 9_999)},
    "cells": {"day": _NUMBER_OF_A_DAY, "cell": _whole(0, 9_999), "ok": _BIT},
    "card_events": {"card": _card, "action": _one_of(*_ACTIONS)},
    "settings": {"name": _word, "value": _json},
    "checkpoints": {
        "day": _NUMBER_OF_A_DAY,
        "score": _number(1e6),
        "out_of": _number(1e6),
        "band": _text(_LINE),
    },
    "ticks": {"day": _NUMBER_OF_A_DAY, "item": _text(_LINE), "ticked": _BIT},
    "misconceptions": {
        "day": _NUMBER_OF_A_DAY,
        "item": _text(_LINE),
        "said": _one_of("true", "partly", "false"),
        "reason": _text(_TEXT),
        "correct": _BIT,
    },
    "reflections": {
        "day": _NUMBER_OF_A_DAY,
        "prompt": _text(_LINE),
        "text": _text(_TEXT),
        "seconds": _SECONDS,
    },
}
_OPTIONAL: dict[str, dict[str, Check]] = {
    "answers": {"correct": _BIT, "confidence": _whole(1, 5), "params": _json_object},
    "hints": {"after_pass": _UID},
    "card_events": {
        "rating": _whole(1, 4),
        "confidence": _whole(1, 5),
        "seconds": _SECONDS,
        "origin": _word,
        "answer": _UID,
        "attempt": _UID,
        "value": _text(_TEXT),
    },
}
_ITEM: dict[str, Check] = {
    "kind": _one_of(*_KINDS),
    "key": _KEY,
    "title": _text(_LINE),
    "day": _NUMBER_OF_A_DAY,
    "phase": _whole(0, 99),
    "section": _text(_NAME),
    "minutes": _whole(0, 9_999),
    "digest": _text(_NAME),
    "rev": _whole(0, 10**6),
    "present": _BIT,
}
_TOPIC = _text(_NAME)


def fault_of_row(table: str, row: Mapping[str, Any], but: Mapping[str, str] = {}) -> str:
    """Return what is wrong with a row, its references as a merge names them, as half a sentence; "" if
    nothing is. `but`: columns that are not looked at."""
    needed, optional = _ALWAYS | _NEEDED[table], _OPTIONAL.get(table, {})
    if fault := _compare(table, row, needed, optional, but):
        return fault
    if table == "settings":
        return _fault_of_setting(row)
    return _fault_of_event(row) if table == "card_events" else ""


def fault_of_item(item: Mapping[str, Any]) -> str:
    """Return what is wrong with a card's item, as `fault_of_row` does."""
    if fault := _compare("items", item, _ITEM, {"topics": lambda _: ""}, {}):
        return fault
    topics = item.get("topics", [])
    sound = isinstance(topics, list) and not any(map(_TOPIC, topics))
    return "" if sound else "topics must be a list of short texts"


def fault_of_text(body: Any) -> str:
    """Return what a kept text (a submission, an edit) must be instead; "" if it can be kept."""
    return _text(_TEXT)(body)


def _compare(
    table: str,
    row: Mapping[str, Any],
    needed: Mapping[str, Check],
    optional: Mapping[str, Check],
    but: Mapping[str, str],
) -> str:
    for name, check in needed.items():
        if name not in row:
            return f"{name} is missing"
        if name not in but and (wanted := check(row[name])):
            return f"{name} must be {wanted}"
    for name, value in row.items():
        if name in needed:
            continue
        if name not in optional:
            return f"{table} has no {name[:_NAME]!r}"
        if name not in but and (wanted := optional[name](value)):
            return f"{name} must be {wanted}"
    return ""


def _fault_of_setting(row: Mapping[str, Any]) -> str:
    name = row["name"]
    if name in settings.DEFAULTS:  # another edition may know more
        try:
            settings.check_setting(name, json.loads(row["value"]))
        except UsageError as error:
            return str(error)[:_NAME]
    return ""


def _fault_of_event(row: Mapping[str, Any]) -> str:
    action, value = row["action"], row.get("value")
    if action == "review" and row.get("rating") is None:
        return "a review must have a rating"
    if action == "flag" and value is not None and value not in list("01234567"):
        return "a flag's value must be one of 0 to 7"
    sound = isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,19}", value)
    if action == "undo" and not sound:
        return "an undo's value must be what it undoes"
    return ""
