"""Recorded output of programs that may not be installed here: `lessons/recorded/day-NN.json`.

    {"made_with": "llvmlite 0.50.0, LLVM 22.1", "said": {"NAME": "text", …}}

A live cell shows such a text, and says that it is recorded, where an optional package is missing. Tests
make every text again with the package and compare (`tests/content/test_corrections_day15.py`).
"""

import json
from dataclasses import dataclass
from pathlib import Path

from tutor.base.errors import UsageError
from tutor.base.paths import course_root


@dataclass(frozen=True)
class Transcript:
    """`made_with`: program and versions. `said`: what it printed, by name."""

    made_with: str
    said: dict[str, str]


def recorded_file(day: int) -> Path:
    return course_root() / "lessons" / "recorded" / f"day-{day:02d}.json"


def recorded(day: int) -> Transcript:
    """The transcript of a day. Raises `UsageError` where there is none."""
    path = recorded_file(day)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{path}: nothing is recorded for day {day}") from None
    return Transcript(str(data["made_with"]), dict(data["said"]))
