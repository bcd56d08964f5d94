"""The figure below a cell's output, in characters: a plot of its numbers, or an access map. Pure."""

import math
from collections.abc import Iterator
from itertools import pairwise

from textual.content import Content

from tutor.course.plot import CellPlot, Curve, short, ticks
from tutor.judge.model.events import AccessFigure
from tutor.judge.reports import access_figure
from tutor.ui.kit.text.inline_markdown import style_code
from tutor.ui.kit.text.plots import LABEL, QUIET, Cell, braille, frame_plot
from tutor.ui.kit.text.safe_text import make_visible

WIDTH, _HEIGHT = 72, 11  # columns of a figure, rows of a plot
_MARKS = (("●", "$primary"), ("▲", "$accent"), ("■", "$secondary"))
_PROGRAMS = ("bold $primary", "bold $accent", "bold $secondary", "bold $success")
_MOST_MARKS = 40  # a curve of more points is a line alone


def figure_content(figure: AccessFigure | CellPlot | str) -> Content:
    """Draw a figure; a sentence that stands for one is quiet."""
    if isinstance(figure, CellPlot):
        return _plot(figure)
    if isinstance(figure, AccessFigure):
        return _access(figure)
    return Content.styled(make_visible(figure), QUIET)


def _access(figure: AccessFigure) -> Content:
    about = Content.styled(f"Access map of {make_visible(figure.about)}", QUIET)
    lines = []
    for line in access_figure.draw_launches(figure.launches):
        if len(line) == 1 and line[0].program is None:
            lines.append(style_code(line[0].text))
            continue
        parts = (
            (piece.text, "" if piece.program is None else _PROGRAMS[piece.program % len(_PROGRAMS)])
            for piece in line
        )
        lines.append(Content.assemble(*parts))
    return Content("\n").join([about, *lines])


class _Scale:
    """An axis of so many dots from `low` to `high`."""

    def __init__(self, values: list[float], dots: int, *, logarithmic: bool, pad: float) -> None:
        self.dots, self.logarithmic = dots, logarithmic
        low, high = min(values), max(values)
        if logarithmic:
            factor = max((high / low) ** pad, 1.02)
            self.low, self.high = low / factor, high * factor
        else:
            if pad and low >= 0:
                low = 0.0
            room = (high - low) * pad or (abs(high) * 0.1 or 1.0) * (high == low)
            self.low, self.high = (low if low == 0 else low - room), high + room

    def dot(self, value: float) -> int:
        low, high = self.low, self.high
        if self.logarithmic:
            value, low, high = math.log(value), math.log(low), math.log(high)
        return min(self.dots - 1, max(0, int((value - low) / (high - low) * self.dots)))


def _plot(plot: CellPlot) -> Content:
    columns, rows = WIDTH - LABEL, _HEIGHT
    across = _Scale(list(plot.xs), 2 * columns, logarithmic="x" in plot.log, pad=0.0)
    values = [value for curve in plot.curves for value in curve.values]
    up = _Scale(values, 4 * rows, logarithmic="y" in plot.log, pad=0.08)
    cells: dict[Cell, tuple[str, str]] = {}
    marks: dict[Cell, tuple[str, str]] = {}
    for curve, (mark, style) in zip(plot.curves, _MARKS, strict=False):
        points = [
            (across.dot(x), 4 * rows - 1 - up.dot(y))
            for x, y in sorted(zip(plot.xs, curve.values, strict=True))
        ]
        cells |= {cell: (shape, style) for cell, shape in braille(_line(points)).items()}
        if len(points) <= _MOST_MARKS:
            marks |= {(x // 2, y // 4): (mark, style) for x, y in points}
    left = {
        rows - 1 - up.dot(value) // 4: short(value)
        for value in ticks(up.low, up.high, up.logarithmic, 5)
    }
    below = {
        across.dot(value) // 2: short(value)
        for value in ticks(across.low, across.high, across.logarithmic, 6)
    }
    lines = frame_plot(
        cells | marks,
        columns,
        rows,
        left=left,
        below=below,
        up=make_visible(plot.y_label),
        across=f"  {make_visible(plot.x_label)}",
    )
    if len(plot.curves) > 1:
        lines.append(_legend(plot.curves))
    return Content("\n").join(lines)


def _legend(curves: tuple[Curve, ...]) -> Content:
    parts = [
        Content.assemble((f"{mark} ", style), curve.name)
        for curve, (mark, style) in zip(curves, _MARKS, strict=False)
    ]
    return Content("   ").join(parts)


def _line(points: list[Cell]) -> Iterator[Cell]:
    """Yield the dots of straight lines from point to point."""
    for (x, y), (to_x, to_y) in pairwise(points):
        steps = max(abs(to_x - x), abs(to_y - y), 1)
        for i in range(steps + 1):
            yield x + round((to_x - x) * i / steps), y + round((to_y - y) * i / steps)
