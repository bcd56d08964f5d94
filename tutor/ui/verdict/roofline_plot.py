"""The roofline plot in characters: attempts as marks under the device's roofs, both axes logarithmic.

Pure. Roofs are drawn in Braille dots, two by four to a character; marks stand over them.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from textual.content import Content

from tutor.hardware import gpus, roofline
from tutor.hardware.gpus import Gpu
from tutor.hardware.measured_peaks import MeasuredPeaks
from tutor.hardware.roofline import Roof, format_quantity
from tutor.judge.model.verdict import Sample, Timing
from tutor.judge.reports import timing_text
from tutor.judge.spec import Work
from tutor.ui.kit.text.phrases import shorten
from tutor.ui.kit.text.plots import LABEL, braille, frame_plot
from tutor.ui.kit.text.safe_text import limit_text

MOST = 9  # attempts that are drawn, one digit each
EAGER, COMPILED = "E", "C"
_MEASURED, _SHEET, _NEWEST, _QUIET = "$primary", "$foreground 70%", "bold $success reverse", "dim"


@dataclass(frozen=True)
class Mark:
    """A measured time. `when` is the attempt's date, or the name of the yardstick."""

    letter: str
    when: str
    sample: Sample


@dataclass(frozen=True)
class RooflinePlot:
    """The contents of a plot. `marks` has the newest attempt first; `left_out`: what is not shown."""

    bytes: int
    flops: int
    marks: tuple[Mark, ...]
    roofs: tuple[Roof, ...]  # the datasheet's first
    left_out: str = ""
    units: str = "fp32"  # the arithmetic, as in `spec.Work`

    def rate(self, mark: Mark) -> float:
        """FLOP a second, or bytes a second if there is no arithmetic."""
        return (self.flops or self.bytes) / (mark.sample.median_ms * 1e-3)

    def roof(self, roof: Roof) -> float:
        """The highest rate on `roof`, in the unit of `rate`."""
        return roof.at(self.flops / self.bytes) if self.flops else roof.bandwidth


def plot_of_attempts(
    timed: Iterable[tuple[str, str, Timing]], measured: Mapping[str, MeasuredPeaks], processor: str
) -> RooflinePlot | None:
    """The plot of attempts (date, device as in the verdict, timing), newest first; None without a time.

    Only attempts on the device of the newest one are drawn. Times that are not believed are left out.
    """
    points = [(when, device, t) for when, device, t in timed if t.roofline]
    good = [point for point in points if point[2].believed]
    if not good:
        return None
    _, device, newest = good[0]
    assert newest.roofline is not None
    same = [point for point in good if point[1] == device]
    marks = [
        Mark(str(n), when, timing.learner) for n, (when, _, timing) in enumerate(same[:MOST], 1)
    ]
    yardsticks = ((EAGER, "eager", newest.eager), (COMPILED, "torch.compile", newest.compiled))
    marks += [Mark(letter, name, sample) for letter, name, sample in yardsticks if sample]
    left_out = [
        f"{count} {what}"
        for count, what in (
            (len(points) - len(good), "not believed"),
            (len(good) - len(same), "on another device"),
            (len(same) - MOST, "older"),
        )
        if count > 0
    ]
    limits = newest.roofline
    return RooflinePlot(
        limits.bytes,
        limits.flops,
        tuple(marks),
        _roofs(device, newest, measured, processor),
        f"Not drawn: {', '.join(left_out)}." if left_out else "",
        limits.units,
    )


def plot_of_work(work: Work, target: Gpu) -> RooflinePlot:
    """The plot of an exercise that was not timed: the target's roof, and where its work meets it."""
    roofs = (roofline.roof_of_datasheet(target, work.units),)
    return RooflinePlot(work.bytes, work.flops, (), roofs, units=work.units)


def _roofs(
    device: str, newest: Timing, measured: Mapping[str, MeasuredPeaks], processor: str
) -> tuple[Roof, ...]:
    limits = newest.roofline
    assert limits is not None
    name = device.removeprefix("cuda: ") if device.startswith("cuda") else processor
    known = gpus.find(name) if device.startswith("cuda") else None
    roofs = [roofline.roof_of_datasheet(known, limits.units)] if known else []
    if name in measured and (peak := roofline.roof_of_measured(measured[name], limits.units)):
        roofs.append(peak)
    if not roofs and limits.limit_ms > 0:  # the copy that this verdict compares with
        bandwidth = limits.bytes / (limits.limit_ms * 1e-3)
        roofs.append(Roof(bandwidth, math.inf, limits.units, "a copy, with this verdict", True))
    return tuple(roofs)


def draw_plot(plot: RooflinePlot, width: int, height: int) -> Content:
    """The plot and its legend in `width` columns and about `height` rows."""
    table = timing_text.on_other_gpus(plot.bytes, plot.flops, plot.units, width)
    legend = [*_legend(plot, width), Content(""), *map(Content, table)]
    if not plot.flops:
        sentence = "This exercise does no arithmetic, so only the memory counts."
        return Content("\n").join([Content(sentence), Content(""), *_bars(plot, width), *legend])
    rows = min(18, max(7, height - len(legend) - 3))
    return Content("\n").join([*_draw_axes(plot, width, rows), *legend])


# --- the plot -----------------------------------------------------------------------------------------


def _draw_axes(plot: RooflinePlot, width: int, rows: int) -> list[Content]:
    columns = max(12, width - LABEL)
    here = plot.flops / plot.bytes
    ridges = [roof.ridge for roof in plot.roofs if math.isfinite(roof.peak)]
    across = _Axis.around([here, *ridges], 4, columns)
    rates = [plot.rate(mark) for mark in plot.marks]
    tops = [roof.at(10**across.high) for roof in plot.roofs]
    up = _Axis.around([*rates, *tops, *map(plot.roof, plot.roofs)], 2, rows)

    cells: dict[tuple[int, int], tuple[str, str]] = {}
    at = across.cell(here)
    for row in range(rows):
        cells[at, row] = ("┊", _QUIET)
    for roof in plot.roofs:
        style = _MEASURED if roof.measured else _SHEET
        for cell, shape in _roof_dots(roof, across, up).items():
            cells[cell] = (shape, style)
    if not plot.marks:
        cells[at, rows - 1 - up.cell(plot.roof(plot.roofs[0]))] = ("◆", _NEWEST)
    for mark, rate in zip(plot.marks, rates, strict=True):
        row = rows - 1 - up.cell(rate)
        column = next(
            c for c in _nearby(at, columns) if cells.get((c, row), (" ",))[0] not in _letters(plot)
        )
        cells[column, row] = (mark.letter, _style(mark))

    left = {rows - 1 - up.cell(10.0**n): format_quantity(10.0**n).strip() for n in up.decades()}
    below = {across.cell(10.0**n): f"{10.0**n:g}" for n in across.decades()}
    return frame_plot(
        cells, columns, rows, left=left, below=below, up="FLOP/s", across="FLOP/byte", quiet=_QUIET
    )


@dataclass(frozen=True)
class _Axis:
    """An axis from 10^`low` to 10^`high` over `cells` characters."""

    low: float
    high: float
    cells: int

    @classmethod
    def around(cls, values: list[float], factor: float, cells: int) -> "_Axis":
        """The axis that has all values, and room for `factor` on both sides."""
        finite = [v for v in values if 0 < v < math.inf]
        return cls(math.log10(min(finite) / factor), math.log10(max(finite) * factor), cells)

    def part(self, value: float) -> float:
        return (math.log10(value) - self.low) / (self.high - self.low)

    def cell(self, value: float) -> int:
        return min(self.cells - 1, max(0, int(self.part(value) * self.cells)))

    def decades(self) -> range:
        return range(math.ceil(self.low), math.floor(self.high) + 1)


def _roof_dots(roof: Roof, across: _Axis, up: _Axis) -> dict[tuple[int, int], str]:
    """A Braille character for each cell that the roof crosses. A datasheet's has every other dot."""
    dots: list[tuple[int, int]] = []
    last: int | None = None
    for x in range(2 * across.cells):
        value = 10 ** (across.low + (x + 0.5) / (2 * across.cells) * (across.high - across.low))
        part = up.part(roof.at(value))
        if not 0 <= part < 1:
            last = None
            continue
        y = 4 * up.cells - 1 - int(part * 4 * up.cells)
        for step in range(min(y, y if last is None else last), y + 1) or (y,):
            if roof.measured or x % 2 == 0:
                dots.append((x, step))
        last = y
    return braille(dots)


def _nearby(column: int, columns: int) -> Iterable[int]:
    """The column, then those to its right, then to its left."""
    yield from range(column, columns)
    yield from range(column - 1, -1, -1)


def _letters(plot: RooflinePlot) -> str:
    return "".join(mark.letter for mark in plot.marks)


def _style(mark: Mark) -> str:
    return _NEWEST if mark.letter == "1" else "bold"


# --- the legend ---------------------------------------------------------------------------------------


def _legend(plot: RooflinePlot, width: int) -> list[Content]:
    if not plot.marks:
        return _outlook(plot)
    out = []
    unit = timing_text.unit_of(max(mark.sample.median_ms for mark in plot.marks))
    best = plot.roof(plot.roofs[-1]) if plot.roofs else 0.0
    for mark in plot.marks:
        rate = plot.rate(mark)
        row = [(f"{mark.letter} ", _style(mark)), (f" {shorten(mark.when, 13):<13} ", "")]
        row.append((f"{timing_text.format_in_unit(mark.sample.median_ms, unit):>9}", ""))
        if width >= 52:
            row.append((f" {format_quantity(rate) + _unit(plot):>14}", ""))
        if best:
            row.append((f" {rate / best:>4.0%}", ""))
        row.append((" newest" if mark.letter == "1" and width >= 46 else "", "$success"))
        out.append(Content.assemble(*row))
    out.append(Content(""))
    for roof in plot.roofs:
        shape, style = ("⣀⣀", _MEASURED) if roof.measured else ("⡀⡀", _SHEET)
        named = roof.measured or "datasheet" in roof.source
        source = f"{roof.describe()}: {'' if named else 'datasheet, '}{roof.source}"
        out.append(Content.assemble((f"{shape} ", style), limit_text(source, lines=2)))
    if best:
        which = "measured" if plot.roofs[-1].measured else "datasheet's"
        out.append(Content.styled(f"Shares are of the {which} roof.", _QUIET))
    if not any(roof.measured for roof in plot.roofs):
        advice = "`tutor doctor --measure` adds what this machine really reaches."
        out.append(Content.styled(advice, _QUIET))
    if plot.left_out:
        out.append(Content.styled(plot.left_out, _QUIET))
    return out


def _outlook(plot: RooflinePlot) -> list[Content]:
    """The legend of a plot without times: what limits the exercise on the target."""
    roof = plot.roofs[0]
    limit = roof.limit(plot.bytes, plot.flops)
    by = "memory" if limit.bound == "memory" else "arithmetic"
    intensity = f"{plot.flops / plot.bytes:.3g} FLOP/byte, " if plot.flops else ""
    sentence = (
        f"{intensity}so the {by} limits it to {format_quantity(plot.roof(roof))}{_unit(plot)}. On the "
        f"largest inputs here ({format_quantity(plot.bytes)}B) no program takes less than "
        f"{timing_text.format_time(limit.ms)}."
    )
    return [
        Content.assemble(("◆ ", _NEWEST), (sentence[:1].upper() + sentence[1:], "")),
        Content(""),
        Content.assemble(("⡀⡀ ", _SHEET), limit_text(f"{roof.describe()}: {roof.source}", lines=2)),
    ]


def _unit(plot: RooflinePlot) -> str:
    return "FLOP/s" if plot.flops else "B/s"


def _bars(plot: RooflinePlot, width: int) -> list[Content]:
    """Bars of bytes a second: of each mark and of each roof."""
    most = max([*map(plot.rate, plot.marks), *map(plot.roof, plot.roofs)])
    room = max(6, width - 4)
    bars = [
        (mark.letter, "█" * max(1, round(plot.rate(mark) / most * room)), _style(mark))
        for mark in plot.marks
    ]
    bars += [
        (
            "",
            ("⣀" if roof.measured else "⡀") * round(plot.roof(roof) / most * room),
            _MEASURED if roof.measured else _SHEET,
        )
        for roof in plot.roofs
    ]
    return [
        Content.assemble((f"{letter:<2}", style), (bar, style.replace(" reverse", "")))
        for letter, bar, style in bars
    ]
