"""The figure below a cell's output, in characters: a plot of its numbers, bars on lanes, tables of
marked cells, a Gantt chart or an access map."""

import math
from collections.abc import Iterator
from itertools import groupby, pairwise

from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from tutor.course.drawing import Bars, Grid
from tutor.course.gantt import Gantt
from tutor.course.plot import CellPlot, Curve, short, ticks
from tutor.judge.model.events import AccessFigure, Figure
from tutor.judge.reports import access_figure
from tutor.ui.kit.text.gantt_content import FILLS, gantt_content
from tutor.ui.kit.text.inline_markdown import style_code
from tutor.ui.kit.text.plots import LABEL, QUIET, Cell, braille, frame_plot
from tutor.ui.kit.text.safe_text import make_visible

WIDTH, _HEIGHT = 72, 11  # columns of a figure, rows of a plot
_MARKS = (("●", "$primary"), ("▲", "$accent"), ("■", "$secondary"))
_PROGRAMS = ("bold $primary", "bold $accent", "bold $secondary", "bold $success")
_MOST_MARKS = 40  # a curve of more points is a line alone


class FigureView(Static):
    """A figure, drawn anew where another width has room for more or less of it."""

    def __init__(self, figure: Figure, classes: str) -> None:
        super().__init__(figure_content(figure), classes=classes, markup=False)
        self._figure = figure

    def show(self, figure: Figure) -> None:
        self._figure = figure
        self._draw()

    def on_resize(self, event: Resize) -> None:
        if isinstance(self._figure, Gantt):
            self._draw()

    def _draw(self) -> None:
        self.update(figure_content(self._figure, self.content_size.width or WIDTH))


def figure_content(figure: Figure, width: int = WIDTH) -> Content:
    """Draw a figure; a sentence that stands for one is quiet. `width` is that of a Gantt chart."""
    if isinstance(figure, CellPlot):
        return _plot(figure)
    if isinstance(figure, Bars):
        return _bars(figure)
    if isinstance(figure, Grid):
        return _grid(figure)
    if isinstance(figure, Gantt):
        return gantt_content(figure, width)
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


def _bars(drawing: Bars) -> Content:
    """A row for each lane. A column is drawn in the kind that takes most of it, so that a row is true
    to a column's width."""
    names = max(len(name) for name, _ in drawing.lanes)
    columns = WIDTH - names - 2
    low, high = drawing.ends
    unit = (high - low) / columns
    looks = dict(zip(drawing.kinds, FILLS, strict=False))
    rows = []
    for name, bars in drawing.lanes:
        shares: list[dict[str, float]] = [{} for _ in range(columns)]
        for bar in bars:
            first, last = (bar.start - low) / unit, (bar.end - low) / unit
            begin = min(round(first), columns - 1)  # a short bar has a column all the same
            for column in range(begin, max(min(round(last), columns), begin + 1)):
                part = max(min(last, column + 1) - max(first, column), 1e-9)
                shares[column][bar.kind] = shares[column].get(bar.kind, 0.0) + part
        runs = (max(share, key=lambda kind: share[kind], default="") for share in shares)
        row = [(f"{name:>{names}}  ", QUIET)]
        for kind, group in groupby(runs):
            fill, style = looks.get(kind, ("·", QUIET))
            row.append((fill * len(list(group)), style))
        rows.append(Content.assemble(*row))
    left, right = f"{short(low)}", f"{short(high)} {make_visible(drawing.label)}"
    axis = f"{'':{names}}  {left}{right:>{columns - len(left)}}"
    legend = Content("   ").join(
        Content.assemble((f"{fill * 2} ", style), kind) for kind, (fill, style) in looks.items()
    )
    return Content("\n").join([*rows, Content.styled(axis, QUIET), legend])


def _grid(drawing: Grid) -> Content:
    """Tables beside each other where they fit, else below each other. A mark has the same colour in
    all of them."""
    every = sorted({m for _, rows in drawing.tables for row in rows for m in row if m})
    style_of = {mark: _PROGRAMS[number % len(_PROGRAMS)] for number, mark in enumerate(every)}
    wide = max(map(len, every), default=1) + 1
    blocks = []
    for name, rows in drawing.tables:
        across = max(max(map(len, rows)) * wide, len(name))
        lines = [Content.styled(f"{name:<{across}}", "bold")]
        for row in rows:
            cells = ((f"{m or '·':>{wide - 1}} ", style_of.get(m, QUIET)) for m in row)
            lines.append(Content.assemble(*cells).pad_right(across - len(row) * wide))
        blocks.append((across, lines))
    if sum(across for across, _ in blocks) + 3 * (len(blocks) - 1) > WIDTH:
        return Content("\n").join(line for _, lines in blocks for line in lines)
    tall = max(len(lines) for _, lines in blocks)
    filled = [[*lines, *[Content(" " * w)] * (tall - len(lines))] for w, lines in blocks]
    return Content("\n").join(Content("   ").join(parts) for parts in zip(*filled, strict=True))


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
