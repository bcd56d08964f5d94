"""The plot of numbers that a cell leaves behind: checked, its axes' round numbers, its words. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tutor.base.errors import UsageError

if TYPE_CHECKING:  # a caller of the judge needs no model of the course
    from tutor.course.model import PlotLook

MAX_POINTS = 200  # of a curve
_ROWS = 12  # of a table in words


@dataclass(frozen=True)
class Curve:
    """The values of one list. `name` is the list's name with blanks for `_`."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class CellPlot:
    """Curves over the same `xs`. `log` has the letters of the axes that are logarithmic."""

    xs: tuple[float, ...]
    curves: tuple[Curve, ...]
    x_label: str
    y_label: str
    log: str = ""


def plot_of(look: "PlotLook", values: Mapping[str, Any]) -> CellPlot:
    """Return the plot of the lists that a cell left behind. Raises `UsageError` with one sentence for
    anything that cannot be drawn: a learner may have changed the cell's numbers."""
    xs = _numbers(look.x, values.get(look.x), "x" in look.log)
    curves = [
        Curve(y.replace("_", " "), _numbers(y, values.get(y), "y" in look.log)) for y in look.ys
    ]
    for name, curve in zip(look.ys, curves, strict=True):
        if len(curve.values) != len(xs):
            raise UsageError(
                f"There is no plot: {look.x} has {len(xs)} numbers and {name} {len(curve.values)}."
            )
    return CellPlot(xs, tuple(curves), look.x_label, look.y_label, look.log)


def _numbers(name: str, values: Any, logarithmic: bool) -> tuple[float, ...]:
    if not isinstance(values, list | tuple):
        raise UsageError(f"There is no plot: {name} is no list of numbers.")
    if not 2 <= len(values) <= MAX_POINTS:
        raise UsageError(
            f"There is no plot: {name} has {len(values)} values, and 2 to {MAX_POINTS} are drawn."
        )
    for value in values:
        if type(value) not in (int, float) or not abs(value) < 1e300:  # neither NaN nor infinite
            raise UsageError(
                f"There is no plot: {str(value)[:40]!r} in {name} is no finite number."
            )
        if logarithmic and value <= 0:
            raise UsageError(
                f"There is no plot: {value:g} in {name} has no place on a logarithmic axis."
            )
    return tuple(float(value) for value in values)


def look_words(look: "PlotLook") -> str:
    """Say what a cell's plot shows, before it has run."""
    names = " and ".join(name.replace("_", " ") for name in look.ys)
    return f"Draws a plot: {look.y_label} over {look.x_label} ({names})."


def plot_words(plot: CellPlot) -> list[str]:
    """Return the plot as a table of at most `_ROWS` points and the extremes of each curve."""
    several = len(plot.curves) > 1
    out = [f"Plot: {plot.y_label} over {plot.x_label}, {len(plot.xs)} points."]
    for at in _some(len(plot.xs)):
        names = (f"{curve.name} " if several else "" for curve in plot.curves)
        parts = [
            f"{name}{short(curve.values[at])}"
            for name, curve in zip(names, plot.curves, strict=True)
        ]
        out.append(f"  {plot.x_label} {short(plot.xs[at])}: {', '.join(parts)}")
    for curve in plot.curves:
        least, most = min(curve.values), max(curve.values)
        where = [short(plot.xs[curve.values.index(value)]) for value in (least, most)]
        out.append(
            f"{curve.name}: least {short(least)} at {where[0]}, most {short(most)} at {where[1]}."
        )
    return out


def _some(count: int) -> list[int]:
    """Return the places of at most `_ROWS` of `count` points, the first and the last with them."""
    kept = min(count, _ROWS)
    return [round(i * (count - 1) / (kept - 1)) for i in range(kept)]


def short(value: float) -> str:
    """Return a number of three figures: `16.8 M`, `0.52`, `1024` in full below 10 000, `1e-5`."""
    size = abs(value)
    if value == int(value) and size < 10_000:
        return str(int(value))
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size >= factor * 0.9995:
            return f"{value / factor:.3g} {prefix}"
    if size >= 1e-3 or not size:
        return f"{value:.3g}"
    number, power = f"{value:.1e}".split("e")
    return f"{number.removesuffix('.0')}e{int(power)}"


def ticks(low: float, high: float, logarithmic: bool, most: int) -> list[float]:
    """Return round numbers from `low` to `high`, at most about `most`: powers of ten where they
    suffice, else multiples of 1, 2 or 5 times a power of ten."""
    if logarithmic:
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        if last - first >= 1:
            step = -(-(last - first + 1) // most)
            return [10.0**n for n in range(first, last + 1, step)]
    span = high - low
    power = 10.0 ** math.floor(math.log10(span / most))
    unit = next(n * power for n in (1, 2, 5, 10) if span / (n * power) <= most)
    return [
        n * unit for n in range(math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9) + 1)
    ]
