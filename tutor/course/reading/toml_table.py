"""TOML with line numbers, read field by field.

A `Table` hands out checked fields; a mistake is noted and reading goes on with a harmless default,
so that one pass finds all mistakes of a file. What nobody asked for is a mistake too: `finish`
reports it.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomli

from tutor.base.toml_positions import KeyPath, key_lines
from tutor.course.reading.faults import (
    CourseFault,
    Fault,
    first_control,
    format_value,
    read_course_file,
)


class Table:
    """A table of a TOML file. Each field is read once, by name and type."""

    def __init__(
        self, path: Path, data: dict[str, Any], lines: dict[KeyPath, int], first_line: int = 1
    ) -> None:
        self.path = path
        self.faults: list[Fault] = []
        self._data = data
        self._lines = lines
        self._first_line = first_line
        self._where: KeyPath = ()
        self._label = ""
        self._asked: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._data

    def names(self) -> tuple[str, ...]:
        """The fields that are there, in the order of the file."""
        return tuple(self._data)

    def line(self, name: str = "") -> int:
        """The line of a field ("answer", "options.a"), or of the nearest table around it."""
        path: KeyPath = (*self._where, *name.split(".")) if name else self._where
        while path and path not in self._lines:
            path = path[:-1]
        return self._first_line + self._lines.get(path, 1) - 1

    def fault(self, name: str, expected: str, what: str) -> None:
        self.faults.append(Fault(self.path, self.line(name), self._label + name, expected, what))

    def value(self, name: str) -> Any:
        """The raw value, or None; marks the field as asked for."""
        self._asked.add(name)
        return self._data.get(name)

    def text(self, name: str, default: str | None = None) -> str:
        """A text that is not blank; `default` where it may be absent."""
        value = self.value(name)
        if value is None and default is not None:
            return default
        if problem := _not_text(value):
            self.fault(name, *problem)
            return ""
        return str(value)

    def one_of(self, name: str, names: Sequence[str], default: str | None = None) -> str:
        value = self.value(name)
        if value is None and default is not None:
            return default
        if value not in names:
            self.fault(name, "one of " + ", ".join(names), format_value(value))
            return ""
        return str(value)

    def matching(self, name: str, pattern: str, words: str) -> str:
        """A text that matches `pattern` whole; `words` says so in a message."""
        value = self.value(name)
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            self.fault(name, words, format_value(value))
            return ""
        return value

    def integer(self, name: str, least: int, default: int | None = None) -> int:
        value = self.value(name)
        if value is None and default is not None:
            return default
        if not is_integer(value) or value < least:
            self.fault(name, f"a whole number, {least} or more", format_value(value))
            return least
        return int(value)

    def number(self, name: str, least: float | None = None) -> float | None:
        """A finite number, kept as it was written (int or float); None where absent or wrong."""
        value = self.value(name)
        if value is None:
            return None
        if not is_finite_number(value) or (least is not None and value < least):
            self.fault(
                name,
                "a number" + ("" if least is None else f", {least} or more"),
                format_value(value),
            )
            return None
        return value  # type: ignore[no-any-return]

    def flag(self, name: str) -> bool:
        """A boolean; false where absent."""
        value = self.value(name)
        if value is not None and not isinstance(value, bool):
            self.fault(name, "true or false", format_value(value))
        return value is True

    def texts(self, name: str, least: int = 0) -> tuple[str, ...]:
        """A list of texts, at least so many."""
        value = self.value(name)
        if value is None and not least:
            return ()
        if not isinstance(value, list) or len(value) < least:
            self.fault(
                name, f"a list of {least or 'any number of'} or more texts", format_value(value)
            )
            return ()
        return tuple(self._each_text(name, enumerate(value, 1)))

    def integers(self, name: str) -> tuple[int, ...]:
        value = self.value(name)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(is_integer(v) for v in value):
            self.fault(name, "a list of whole numbers", format_value(value))
            return ()
        return tuple(value)

    def texts_by_key(self, name: str, least: int = 0) -> dict[str, str]:
        """A table of texts, in the order of the file."""
        value = self.value(name)
        if value is None and not least:
            return {}
        if not isinstance(value, dict) or len(value) < least:
            self.fault(name, f"a table of {least} or more texts", format_value(value))
            return {}
        return dict(zip(value, self._each_text(name, value.items()), strict=True))

    def _each_text(self, name: str, items: Any) -> list[str]:
        result = []
        for key, value in items:
            if problem := _not_text(value):
                self.fault(f"{name}.{key}", *problem)
            result.append(str(value))
        return result

    def table(self, name: str) -> "Table | None":
        value = self.value(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.fault(name, "a table", format_value(value))
            return None
        return self._inner(value, (name,), f"{name}.")

    def tables(self, name: str, least: int = 0) -> list["Table"]:
        """The tables of an array of tables (`[[name]]` or a list of inline ones)."""
        value = self.value(name)
        if value is None and not least:
            return []
        if (
            not isinstance(value, list)
            or len(value) < least
            or not all(isinstance(v, dict) for v in value)
        ):
            self.fault(name, f"{least} or more tables", format_value(value))
            return []
        return [self._inner(v, (name, i), f"{name}[{i + 1}].") for i, v in enumerate(value)]

    def _inner(self, data: dict[str, Any], where: KeyPath, label: str) -> "Table":
        inner = Table(self.path, data, self._lines, self._first_line)
        inner.faults = self.faults  # one list a file
        inner._where = (*self._where, *where)
        inner._label = self._label + label
        return inner

    def finish(self, owner: str) -> None:
        """Report each field that was not asked for; `owner` ("a choice question") has none such."""
        known = ", ".join(sorted(self._asked))
        for name in self._data:
            if name not in self._asked:
                self.fault(
                    name, f"no such field in {owner} (it may have {known})", format_value(name)
                )

    def raise_faults(self) -> None:
        if self.faults:
            raise CourseFault(self.faults)


def is_integer(value: Any) -> bool:
    """Return True for an integer that is no bool, which Python counts among them."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_finite_number(value: Any) -> bool:
    """An int or a finite float (TOML has `inf` and `nan`; no answer of ours is one)."""
    return is_integer(value) or (isinstance(value, float) and value - value == 0)


def _not_text(value: Any) -> tuple[str, str] | None:
    """(expected, found) where `value` is not a text that a screen can show."""
    if not isinstance(value, str) or not value.strip():
        return "a text", format_value(value)
    if control := first_control(value):
        return "no control characters", repr(control)
    return None


def parse_table(text: str, path: Path, first_line: int = 1) -> Table:
    """The table of a TOML text that begins on `first_line` of `path`. `CourseFault` if invalid."""
    try:
        data = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        line = first_line + error.lineno - 1
        raise CourseFault([Fault(path, line, "toml", "valid TOML", error.msg.lower())]) from None
    except RecursionError:
        deep = Fault(path, first_line, "toml", "valid TOML", "values nested too deep")
        raise CourseFault([deep]) from None
    return Table(path, data, key_lines(text), first_line)


def read_table(path: Path) -> Table:
    """Parse a TOML file. Raises `CourseFault` for one that cannot be read or parsed."""
    return parse_table(read_course_file(path), path)
