"""The learner's settings as rows of the log: each has a history and can be undone."""

import json
import sqlite3
from datetime import date, datetime, timedelta
from typing import Any

from tutor.base.errors import UsageError
from tutor.memory.store.study_day import study_day

DEFAULTS: dict[str, Any] = {
    "rollover_hour": 4,  # when a study day ends
    "time_zone": "",  # an IANA name; "" is the machine's own
    "new_per_day": 20,
    "reviews_per_day": 200,
    "desired_retention": 0.9,
    "easy_days": "",  # weekdays on which little is to fall due, such as "sat sun"
    "parameters": None,  # the 21 of FSRS-6, fitted to this learner
    "focus": None,  # the shaky topic that reviews favour
    "placed_days": [],  # days skipped after a placement, until they are opened
    "projects": [],  # names of the projects that were chosen, one for each day that offers some
    "placement_open": False,  # whether a placement was begun and not ended
}

_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAYS = [name[:3] for name in _NAMES]


def get_setting(db: sqlite3.Connection, name: str) -> Any:
    """Return a setting's newest value, or its default. Raises `KeyError` for an unknown name."""
    row = db.execute(
        "SELECT value FROM settings WHERE name = ? ORDER BY at DESC, id DESC LIMIT 1", (name,)
    ).fetchone()
    return DEFAULTS[name] if row is None else json.loads(row[0])


def study_day_of(db: sqlite3.Connection, moment: datetime) -> date:
    """Return the study day of a moment, by when the learner's day ends and where."""
    rollover = timedelta(hours=get_setting(db, "rollover_hour"))
    return study_day(moment, rollover, get_setting(db, "time_zone"))


def say_begin(db: sqlite3.Connection, day: date, moment: datetime) -> str:
    """Return `, from 4:00 on` if the study day `day` begins later on the date that `moment` has on the
    clock, as between midnight and 4; else ""."""
    clock_day = study_day(moment, timedelta(0), get_setting(db, "time_zone"))
    if day != clock_day or study_day_of(db, moment) == day:
        return ""
    return f", from {get_setting(db, 'rollover_hour')}:00 on"


def check_setting(name: str, value: Any) -> Any:
    """Return `value` if the setting can have it. Raises `UsageError` with one sentence."""
    if name not in DEFAULTS:
        raise UsageError(f"no setting {name!r}: there are {', '.join(DEFAULTS)}")
    fault = _FAULTS[name](value)
    if fault:
        raise UsageError(f"{name} must be {fault}, not {value!r}")
    return value


def _whole(low: int, high: int) -> Any:
    def fault(value: Any) -> str:
        fits = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return "" if fits else f"a whole number from {low} to {high}"

    return fault


def _zone(value: Any) -> str:
    import zoneinfo

    try:
        if value != "":
            zoneinfo.ZoneInfo(value)
    except (OSError, TypeError, ValueError, zoneinfo.ZoneInfoNotFoundError):
        return "a time zone such as Europe/Berlin, or empty"
    return ""


def read_weekdays(value: str) -> frozenset[int]:
    """Return the weekdays of a setting such as "sat sun", 0 for Monday."""
    return frozenset(_WEEKDAYS.index(word[:3]) for word in _words(value))


def _words(value: str) -> list[str]:
    return value.replace(",", " ").lower().split()


def _weekdays(value: Any) -> str:
    fits = isinstance(value, str) and all(
        len(word) >= 3 and any(name.startswith(word) for name in _NAMES) for word in _words(value)
    )
    return "" if fits else "weekdays such as sat sun, or empty"


def _retention(value: Any) -> str:
    fits = isinstance(value, int | float) and 0.7 <= value <= 0.97
    return "" if fits else "from 0.7 to 0.97"


def _parameters(value: Any) -> str:
    numbers = isinstance(value, list | tuple) and all(isinstance(v, int | float) for v in value)
    return "" if value is None or (numbers and len(value) == 21) else "21 numbers, or none"


def _topic(value: Any) -> str:
    return "" if value is None or isinstance(value, str) else "a topic, or none"


def _days(value: Any) -> str:
    fits = isinstance(value, list) and all(type(day) is int and day > 0 for day in value)
    return "" if fits else "a list of days, such as [1, 15]"


def _texts(value: Any) -> str:
    fits = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return "" if fits else "a list of names"


def _yes_or_no(value: Any) -> str:
    return "" if isinstance(value, bool) else "true or false"


_FAULTS = {
    "rollover_hour": _whole(0, 23),
    "time_zone": _zone,
    "new_per_day": _whole(0, 9999),
    "reviews_per_day": _whole(0, 9999),
    "desired_retention": _retention,
    "easy_days": _weekdays,
    "parameters": _parameters,
    "focus": _topic,
    "placed_days": _days,
    "projects": _texts,
    "placement_open": _yes_or_no,
}
