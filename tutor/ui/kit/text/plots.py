"""Plots in characters: a frame with labelled axes, bars, points, and Braille dots. Pure."""

import math
from collections.abc import Iterable, Mapping, Sequence

from textual.content import Content

from tutor.ui.kit.text.phrases import BARS, shorten

QUIET = "$foreground 70%"
LABEL = 7  # columns of the labels on the left, the axis with them
Cell = tuple[int, int]  # column, row
Cells = Mapping[Cell, tuple[str, str]]  # each with its character and its style

# Dots of a Braille character by column and row (Unicode 16, chapter 21: the order is not row by row).
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_TICKS = 5  # at most, on an axis of whole numbers
_PERCENT = range(0, 101, 25)


def frame_plot(
    cells: Cells,
    columns: int,
    rows: int,
    *,
    left: Mapping[int, str],
    below: Mapping[int, str],
    up: str,
    across: str,
    quiet: str = QUIET,
) -> list[Content]:
    """The cells between two axes. `left` has labels by row, `below` by column; `up` and `across` name
    the axes. The result has `columns + LABEL` columns and `rows + 3` lines."""
    lines = [Content.styled(up, quiet)]
    for row in range(rows):
        parts = [cells.get((column, row), (" ", "")) for column in range(columns)]
        tick = "┤" if row in left else "│"
        label = shorten(left.get(row, ""), LABEL - 1)
        lines.append(Content.assemble((f"{label:>{LABEL - 1}}{tick}", quiet), *parts))
    lines.append(Content.styled(" " * (LABEL - 1) + "└" + "─" * columns, quiet))
    text = " " * (LABEL + columns)
    for column, label in below.items():
        at = LABEL + column
        if at + len(label) + 1 <= len(text) - len(across):
            text = text[:at] + label + text[at + len(label) :]
    lines.append(Content.styled(text[: len(text) - len(across)] + across, quiet))
    return lines


def braille(dots: Iterable[Cell]) -> dict[Cell, str]:
    """The characters that have these dots, two by four to a cell."""
    masks: dict[Cell, int] = {}
    for x, y in dots:
        cell = (x // 2, y // 4)
        masks[cell] = masks.get(cell, 0) | _DOTS[x % 2][y % 4]
    return {cell: chr(0x2800 + mask) for cell, mask in masks.items()}


def bars(counts: Sequence[int], width: int, height: int, *, up: str, across: str) -> Content:
    """A bar for each count, within `width` columns and `height` rows. Bars without room are left out."""
    columns, rows = _room(width, height)
    step = max(1, columns // max(1, len(counts)))
    shown = counts[: columns // step]
    tick = _nice(max([1, *counts]))
    top = tick * math.ceil(max([tick, *counts]) / tick)
    cells: dict[Cell, tuple[str, str]] = {}
    for number, count in enumerate(shown):
        eighths = max(1, round(count / top * rows * 8)) if count else 0
        for row in range(rows):
            filled = min(8, max(0, eighths - 8 * (rows - 1 - row)))
            if filled:
                for column in range(number * step, number * step + max(1, step - 1)):
                    cells[column, row] = (BARS[filled], "$primary")
    left = {_row(n / top, rows): str(n) for n in range(0, top + 1, tick)}
    every = _nice(max(1, len(shown)))
    below = {n * step: str(n) for n in range(0, len(shown), every)}
    return Content("\n").join(
        frame_plot(cells, columns, rows, left=left, below=below, up=up, across=across)
    )


def percentages(
    points: Iterable[tuple[float, float]], width: int, height: int, *, up: str, across: str
) -> Content:
    """Points (x, y) from 0 to 100 each, and the line on which both are equal."""
    columns, rows = _room(width, height)
    line = (
        (x, 4 * rows - 1 - round(x / (2 * columns - 1) * (4 * rows - 1)))
        for x in range(2 * columns)
    )
    cells = {cell: (shape, QUIET) for cell, shape in braille(line).items()}
    for x, y in points:
        cells[round(x / 100 * (columns - 1)), _row(y / 100, rows)] = ("●", "$accent")
    left = {_row(n / 100, rows): str(n) for n in _PERCENT}
    below = {round(n / 100 * (columns - 1)): str(n) for n in _PERCENT}
    return Content("\n").join(
        frame_plot(cells, columns, rows, left=left, below=below, up=up, across=across)
    )


def _room(width: int, height: int) -> tuple[int, int]:
    """Columns and rows between the axes."""
    return max(12, width - LABEL), max(3, height - 3)


def _row(part: float, rows: int) -> int:
    """The row of a height between 0 and 1; the first row is the highest."""
    return rows - 1 - min(rows - 1, int(part * rows))


def _nice(top: int) -> int:
    """A step of 1, 2 or 5 times a power of ten that leads to `top` in at most `_TICKS` steps."""
    power = int(10 ** max(0, math.floor(math.log10(max(1, top / _TICKS)))))
    return next(n * power for n in (1, 2, 5, 10) if n * power * _TICKS >= top)
