"""Gantt charts: rows on which one thing follows another, each a span with a label. Pure.

`gantt=NAME x=ms`: a list of spans `(row, start, end, label)` that a cell leaves behind; verdicts draw
the same. `draw_gantt` gives lines of pieces, which a screen or a terminal colours by their look;
`gantt_words` tells the rows.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from tutor.base.errors import UsageError
from tutor.course.plot import short, ticks

MOST_ROWS, MOST_SPANS, MOST_KINDS = 24, 1200, 6
LONGEST_NAME = 16  # of a row or a label
LEAST_COLUMNS = 30  # a page in a window of 40 has fewer than that
FILLS = "█░▓▒▚▖"  # of the kinds, in the order of their first span
IDLE = "·"
_IN_WORDS = 8  # runs of a row that the words name
_LABELS = 4  # of a run


@dataclass(frozen=True)
class Span:
    """From `start` to `end` on the axis. Spans that touch and have one label are one span."""

    start: float
    end: float
    label: str

    @property
    def kind(self) -> str:
        """The label without the number at its end: what gives a span its look."""
        return re.sub(r"[\s\d.]+$", "", self.label)

    @property
    def forms(self) -> tuple[str, ...]:
        """What may be written into the span, the longest first."""
        number = self.label[len(self.kind) :].strip()
        return tuple(form for form in (self.label, number) if form)


@dataclass(frozen=True)
class Gantt:
    """Rows, each with its spans from left to right, and the axis' name."""

    rows: tuple[tuple[str, tuple[Span, ...]], ...]
    kinds: tuple[str, ...]
    label: str

    @property
    def ends(self) -> tuple[float, float]:
        every = [span for _, spans in self.rows for span in spans]
        return min(span.start for span in every), max(span.end for span in every)


@dataclass(frozen=True)
class Piece:
    """Some characters of a line. `look`: the number of the kind that they are about, None for what is
    between spans; `written`: a label, and no filling."""

    text: str
    look: int | None = None
    written: bool = False


Line = tuple[Piece, ...]


def gantt_of(spans: Any, label: str) -> Gantt:
    """Return the chart of spans `(row, start, end, label)`, rows in the order of their first span.
    Raises `UsageError` with one sentence for anything that cannot be drawn."""
    if not isinstance(spans, list | tuple) or not 1 <= len(spans) <= MOST_SPANS:
        raise UsageError(f"There is no chart: it is no list of 1 to {MOST_SPANS} spans.")
    rows: dict[str, list[Span]] = {}
    for given in spans:
        row, span = _span(given)
        rows.setdefault(row, []).append(span)
    if len(rows) > MOST_ROWS:
        raise UsageError(f"There is no chart: {len(rows)} rows, and {MOST_ROWS} are drawn.")
    kinds = tuple(dict.fromkeys(span.kind for every in rows.values() for span in every))
    if len(kinds) > MOST_KINDS:
        raise UsageError(f"There is no chart: {len(kinds)} kinds of labels, at most {MOST_KINDS}.")
    return Gantt(tuple((row, _join(row, every)) for row, every in rows.items()), kinds, label)


def _span(given: Any) -> tuple[str, Span]:
    if (
        not isinstance(given, list | tuple)
        or len(given) != 4
        or any(type(end) not in (int, float) or not abs(end) < 1e300 for end in given[1:3])
        or not given[1] < given[2]
    ):
        raise UsageError(f"There is no chart: {str(given)[:60]} is no (row, start, end, label).")
    row, start, end, label = given
    return _name(row), Span(float(start), float(end), _name(label))


def _name(value: Any) -> str:
    text = str(value)
    if type(value) not in (str, int) or not 0 < len(text) <= LONGEST_NAME or not text.isprintable():
        raise UsageError(
            f"There is no chart: {text[:40]!r} is no name of at most {LONGEST_NAME} characters."
        )
    return text


def _join(row: str, spans: list[Span]) -> tuple[Span, ...]:
    spans = sorted(spans, key=lambda span: span.start)
    out = spans[:1]
    for before, span in pairwise(spans):
        if before.end - span.start > 1e-9 * max(abs(before.end), 1.0):
            raise UsageError(
                f"There is no chart: {row} does {before.label} to {short(before.end)} and "
                f"{span.label} from {short(span.start)}."
            )
        if span.label == before.label and _touch(before, span):
            out[-1] = Span(out[-1].start, span.end, span.label)
        else:
            out.append(span)
    return tuple(out)


def _touch(before: Span, span: Span) -> bool:
    return abs(before.end - span.start) <= 1e-9 * max(abs(before.end), 1.0)


def draw_gantt(gantt: Gantt, width: int) -> list[Line]:
    """Return the lines of the chart, none longer than `width`, which counts as `LEAST_COLUMNS` at
    least: the rows, an axis, and what the fillings mean."""
    width = max(width, LEAST_COLUMNS)
    names = max(len(name) for name, _ in gantt.rows)
    low, high = gantt.ends
    columns = _columns(gantt, width - names - 2)
    looks = {kind: number for number, kind in enumerate(gantt.kinds)}
    lines = []
    for name, spans in gantt.rows:
        pieces = _row(spans, looks, low, (high - low) / columns, columns)
        lines.append((Piece(f"{name:>{names}}  "), *pieces))
    axis = _axis(gantt, columns, width - names - 2)
    lines.append((Piece(" " * (names + 2) + axis),))
    return lines + _legend(gantt, width)


def _columns(gantt: Gantt, room: int) -> int:
    """Return as many columns as fit; the same number for each unit where all ends are whole numbers."""
    low, high = gantt.ends
    ends = [end for _, spans in gantt.rows for span in spans for end in (span.start, span.end)]
    if high - low <= room and all((end - low).is_integer() for end in ends):
        return int(room // (high - low) * (high - low))
    return room


def _row(
    spans: Sequence[Span], looks: Mapping[str, int], low: float, unit: float, columns: int
) -> Iterator[Piece]:
    """Yield the pieces of one row. A column is drawn in the span that takes most of it, so that a row is
    true to a column's width."""
    shares: list[dict[int, float]] = [{} for _ in range(columns)]
    for number, span in enumerate(spans):
        first, last = (span.start - low) / unit, (span.end - low) / unit
        begin = min(round(first), columns - 1)  # a short span has a column all the same
        for column in range(begin, max(min(round(last), columns), begin + 1)):
            part = min(last, column + 1) - max(first, column)
            shares[column][number] = max(part, 1e-9)
    owners = (max(share, key=lambda number: share[number], default=-1) for share in shares)
    for number, group in groupby(owners):
        length = len(list(group))
        if number < 0:
            yield Piece(IDLE * length)
            continue
        span = spans[number]
        look = looks[span.kind]
        text = next((form for form in span.forms if len(form) <= length), "")
        if text:
            yield Piece(text, look, written=True)
        if len(text) < length:
            yield Piece(FILLS[look] * (length - len(text)), look)


def _axis(gantt: Gantt, columns: int, room: int) -> str:
    """Draw numbers below the columns that they belong to; the last one has the axis' name."""
    low, high = gantt.ends
    last = f"{short(high)} {gantt.label}"[:room].rstrip()
    end = max(columns, len(last))
    line = [" "] * end
    line[end - len(last) :] = last
    for value in (low, *ticks(low, high, logarithmic=False, most=max(columns // 12, 1))):
        text, at = short(value), int((value - low) / (high - low) * columns)
        if (
            at + len(text) < end - len(last)
            and not "".join(line[max(at - 1, 0) : at + len(text) + 1]).strip()
        ):
            line[at : at + len(text)] = text
    return "".join(line)


def _legend(gantt: Gantt, width: int) -> list[Line]:
    """Say what each filling means, in as many lines as it takes; none where labels are numbers alone."""
    lines: list[list[Piece]] = [[]]
    for look, kind in enumerate(gantt.kinds):
        if not kind:
            continue
        taken = sum(len(piece.text) for piece in lines[-1])
        if taken and taken + 3 + 3 + len(kind) > width:
            lines.append([])
        gap = [Piece("   ")] if lines[-1] else []
        lines[-1] += [*gap, Piece(FILLS[look] * 2, look), Piece(f" {kind}")]
    return [tuple(line) for line in lines if line]


def gantt_words(gantt: Gantt) -> list[str]:
    """Return the chart in words, row by row: what follows what, and how long each kind takes in all."""
    low, high = gantt.ends
    count = f"{len(gantt.rows)} row{'s' if len(gantt.rows) > 1 else ''}"
    out = [f"Chart of {count} from {short(low)} to {short(high)} {gantt.label}."]
    for name, spans in gantt.rows:
        runs = list(_runs(spans))
        told = [
            f"{_labels(run)} from {short(run[0].start)} to {short(run[-1].end)}"
            for run in runs[:_IN_WORDS]
        ]
        more = f"; and {len(runs) - _IN_WORDS} more" if len(runs) > _IN_WORDS else ""
        out.append(f"  {name}: {'; '.join(told)}{more}.")
        if len(runs) > 1:
            sums = {
                kind: sum(s.end - s.start for s in spans if s.kind == kind) for kind in gantt.kinds
            }
            sums["nothing"] = (high - low) - sum(sums.values())
            parts = [f"{kind or 'numbers'} {short(t)}" for kind, t in sums.items() if t > 1e-9]
            out.append(f"    in all: {', '.join(parts)} {gantt.label}")
    return out


def _runs(spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Yield spans of one kind that follow each other without a gap."""
    run: list[Span] = []
    for span in spans:
        if run and (run[-1].kind != span.kind or not _touch(run[-1], span)):
            yield run
            run = []
        run.append(span)
    if run:
        yield run


def _labels(run: Sequence[Span]) -> str:
    labels = [span.label for span in run]
    if len(labels) > _LABELS:
        labels = [*labels[:2], f"{len(labels) - 3} more", labels[-1]]
    return ", ".join(labels)
