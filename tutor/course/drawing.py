"""Drawings of values that a cell leaves behind: bars on lanes, tables of marked cells, and
Gantt charts (`tutor.course.gantt`). Pure.

`bars=NAME x=cycles`: a dict of lanes, `{"warp 0": [(0, 4, "issues"), (4, 24, "waits")]}`: from, to and a
kind. `grid=NAME`: a dict of tables, `{"A": [[0, 1], [None, "x"]]}`: a short mark a cell, or None.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tutor.base.errors import UsageError
from tutor.course.gantt import Gantt, gantt_of
from tutor.course.plot import short

if TYPE_CHECKING:  # a caller of the judge needs no model of the course
    from tutor.course.model import DrawingLook

MOST_LANES, MOST_BARS, MOST_KINDS = 24, 400, 6
MOST_TABLES, MOST_ROWS, MOST_COLUMNS, LONGEST_MARK = 4, 16, 24, 3
LONGEST_NAME = 16  # of a lane, a kind or a table
_IN_WORDS = 6  # bars of a lane that the words name


@dataclass(frozen=True)
class Bar:
    """From `start` to `end` on the axis."""

    start: float
    end: float
    kind: str


@dataclass(frozen=True)
class Bars:
    """Lanes, each with its bars from left to right. `kinds` in the order of their first bar."""

    lanes: tuple[tuple[str, tuple[Bar, ...]], ...]
    kinds: tuple[str, ...]
    label: str

    @property
    def ends(self) -> tuple[float, float]:
        every = [bar for _, bars in self.lanes for bar in bars]
        return min(bar.start for bar in every), max(bar.end for bar in every)


@dataclass(frozen=True)
class Grid:
    """Tables with their names; "" is a cell without a mark."""

    tables: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]


def drawing_of(look: "DrawingLook", values: Mapping[str, Any]) -> Bars | Grid | Gantt:
    """Return the drawing of a value that a cell left behind. Raises `UsageError` with one sentence for
    anything that cannot be drawn: a learner may have changed it."""
    if look.kind == "gantt":
        return gantt_of(values.get(look.name), look.label)
    value = values.get(look.name)
    if not isinstance(value, dict) or not value:
        raise UsageError(f"There is no drawing: {look.name} is no dict with something in it.")
    named = {_short_text("a name", name, LONGEST_NAME): rows for name, rows in value.items()}
    return _bars(named, look.label) if look.kind == "bars" else _grid(named)


def _bars(named: dict[str, Any], label: str) -> Bars:
    if len(named) > MOST_LANES:
        raise UsageError(f"There is no drawing: {len(named)} lanes, and {MOST_LANES} are drawn.")
    lanes = []
    kinds: dict[str, None] = {}
    for name, rows in named.items():
        bars = (
            [_bar(name, row) for row in rows] if isinstance(rows, list | tuple) else [_bar(name, 0)]
        )
        if len(bars) > MOST_BARS:
            raise UsageError(f"There is no drawing: {len(bars)} bars of {name}.")
        kinds |= dict.fromkeys(bar.kind for bar in bars)
        lanes.append((name, tuple(sorted(bars, key=lambda bar: bar.start))))
    if not 1 <= len(kinds) <= MOST_KINDS:
        raise UsageError(f"There is no drawing: {len(kinds)} kinds of bars, not 1 to {MOST_KINDS}.")
    return Bars(tuple(lanes), tuple(kinds), label)


def _bar(lane: str, row: Any) -> Bar:
    if (
        not isinstance(row, list | tuple)
        or len(row) != 3
        or any(type(end) not in (int, float) or not abs(end) < 1e300 for end in row[:2])
        or not row[0] < row[1]
    ):
        raise UsageError(f"There is no drawing: {str(row)[:40]} of {lane} is no (from, to, kind).")
    return Bar(float(row[0]), float(row[1]), _short_text("a kind", row[2], LONGEST_NAME))


def _grid(named: dict[str, Any]) -> Grid:
    if len(named) > MOST_TABLES:
        raise UsageError(f"There is no drawing: {len(named)} tables, and {MOST_TABLES} are drawn.")
    tables = []
    for name, rows in named.items():
        if (
            not isinstance(rows, list | tuple)
            or not 1 <= len(rows) <= MOST_ROWS
            or not all(isinstance(row, list | tuple) for row in rows)
            or not all(1 <= len(row) <= MOST_COLUMNS for row in rows)
        ):
            most = f"at most {MOST_ROWS} rows of {MOST_COLUMNS}"
            raise UsageError(f"There is no drawing: {name} is no table of {most}.")
        marks = tuple(
            tuple("" if m is None else _short_text("a mark", m, LONGEST_MARK) for m in row)
            for row in rows
        )
        tables.append((name, marks))
    return Grid(tuple(tables))


def _short_text(what: str, value: Any, longest: int) -> str:
    text = str(value)
    if not isinstance(value, str | int) or not 0 < len(text) <= longest or not text.isprintable():
        raise UsageError(
            f"There is no drawing: {text[:40]!r} is not {what} of at most {longest} characters."
        )
    return text


def look_words(look: "DrawingLook") -> str:
    """Say what a cell's drawing shows, before it has run."""
    name = look.name.replace("_", " ")
    return f"Draws {name}, over {look.label}." if look.label else f"Draws {name}."


def drawing_words(drawing: Bars | Grid) -> list[str]:
    """Return the drawing in words: of each lane its bars, of each table its rows."""
    if isinstance(drawing, Grid):
        out = []
        for name, rows in drawing.tables:
            out.append(f"{name}, {len(rows)} rows:")
            out += [f"  {' '.join(mark or '.' for mark in row)}" for row in rows]
        return out
    low, high = drawing.ends
    out = [f"Bars from {short(low)} to {short(high)} {drawing.label}."]
    for name, bars in drawing.lanes:
        told = [f"{bar.kind} {short(bar.start)} to {short(bar.end)}" for bar in bars[:_IN_WORDS]]
        more = f", and {len(bars) - _IN_WORDS} more" if len(bars) > _IN_WORDS else ""
        out.append(f"  {name}: {', '.join(told) or 'nothing'}{more}")
        if len(bars) > _IN_WORDS:
            sums = {
                kind: sum(b.end - b.start for b in bars if b.kind == kind) for kind in drawing.kinds
            }
            parts = [f"{kind} {short(total)}" for kind, total in sums.items() if total]
            out.append(f"    in all: {', '.join(parts)} {drawing.label}")
    return out
