"""A mistake in a course file, and the error that carries all mistakes of one file."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutor.base.errors import UsageError

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SHOWN = 60  # characters of a found value that a message repeats
MAX_BYTES = 4 * 2**20  # no course file is near this; a larger one is not a course file


@dataclass(frozen=True, order=True)
class Fault:
    """`line` counts from 1; 1 also stands for the whole file."""

    path: Path
    line: int
    field: str
    expected: str
    found: str

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}: {self.field}"
        return f"{where}: expected {self.expected}, found {self.found}"


class CourseFault(UsageError):
    """Every mistake of one course file, in the order of its lines. Its text is one line."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(faults))
        more = len(self.faults) - 1
        rest = f" (and {more} more: `tutor content check` names them)" if more else ""
        super().__init__(f"{self.faults[0]}{rest}")


def format_value(value: Any) -> str:
    """`value` as a message names it: short, on one line, its type clear."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            shown = value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
            # repr escapes newlines and control characters: a course file cannot move the cursor
            return repr(shown) if value else "an empty text"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return f"a table of {len(value)}"
        case _:
            return str(value)[:_SHOWN]


def read_course_file(path: Path) -> str:
    """The file's text, its line ends made `\\n`.

    Raises `CourseFault` where it is missing, too large, not UTF-8, or holds control characters
    (which a terminal would obey).
    """
    try:
        with path.open("rb") as file:  # a device or a pipe has no known size
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise CourseFault([Fault(path, 1, "file", f"at most {MAX_BYTES} bytes", "more")])
    except OSError as error:
        reason = error.strerror or "an error"
        raise CourseFault([Fault(path, 1, "file", "a readable file", reason)]) from None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        bad = f"byte 0x{data[error.start]:02x}"
        raise CourseFault([Fault(path, line, "file", "UTF-8 text", bad)]) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if control := first_control(text):
        line = text.count("\n", 0, text.index(control)) + 1
        raise CourseFault([Fault(path, line, "file", "no control characters", repr(control))])
    return text


def first_control(text: str) -> str | None:
    """The first C0, DEL or C1 control character that is neither a newline nor a tab."""
    match = _CONTROL.search(text)
    return match[0] if match else None
