"""Times as bars: the learner's beside eager PyTorch, torch.compile and what the hardware allows."""

import math

from textual.content import Content

from tutor.judge.verdict import Roofline, Sample, Timing
from tutor.ui.plain import bounded

_EIGHTHS = " ▏▎▍▌▋▊▉"


def timing_lines(timing: Timing, width: int) -> Content:
    """One bar each, on a common scale from zero; the interval is the shaded end of its bar."""
    rows = [("yours", timing.learner), ("compiled", timing.compiled), ("eager", timing.eager)]
    samples = [(name, sample) for name, sample in rows if sample is not None]
    longest = max(sample.ci95_ms[1] for _, sample in samples)
    if timing.roofline:
        longest = max(longest, timing.roofline.limit_ms)
    room = max(6, width - 42)
    unit = _unit(longest)
    lines = [
        _sample_line(name, sample, timing.eager, longest, room, unit) for name, sample in samples
    ]
    if timing.roofline:
        lines.append(_limit_line(timing.roofline, longest, room, unit))
        lines.append(Content(""))
        lines.append(_said_of(timing.roofline))
    if timing.note:
        lines.append(Content.styled(bounded(timing.note, lines=5), "$warning"))
    return Content("\n").join(lines)


def _unit(longest_ms: float) -> tuple[float, str]:
    """One unit for all rows, so that the figures compare as they stand: size in ms, and name."""
    if longest_ms >= 1000:
        return 1000.0, "s"
    return (1.0, "ms") if longest_ms >= 0.05 else (0.001, "µs")


def _figure(value_ms: float, unit: tuple[float, str]) -> str:
    """Three significant figures, never in powers of ten."""
    value = value_ms / unit[0]
    places = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{min(places, 5)}f} {unit[1]}"


def _sample_line(
    name: str,
    sample: Sample,
    eager: Sample | None,
    longest: float,
    room: int,
    unit: tuple[float, str],
) -> Content:
    low, high = sample.ci95_ms
    spread = (high - low) / 2 / sample.median_ms if sample.median_ms else 0.0
    times = ""
    if eager is not None and sample is not eager and sample.median_ms:
        times = f"{eager.median_ms / sample.median_ms:.2f}× eager"
    style = "bold $primary" if name == "yours" else "$foreground 70%"
    return Content.assemble(
        (f"{name:<9}", "bold" if name == "yours" else ""),
        f"{_figure(sample.median_ms, unit):>9} ",
        (f"±{spread:<5.1%} ", "dim"),
        (_bar(low, high, longest, room), style),
        (f" {times}", ""),
    )


def _limit_line(roofline: Roofline, longest: float, room: int, unit: tuple[float, str]) -> Content:
    return Content.assemble(
        f"{'limit':<9}{_figure(roofline.limit_ms, unit):>9}        ",
        (_bar(roofline.limit_ms, roofline.limit_ms, longest, room), "$foreground 45%"),
        (f" {bounded(roofline.peak, lines=1, columns=60)}" if roofline.peak else "", "dim"),
    )


def _said_of(roofline: Roofline) -> Content:
    what = "memory" if roofline.bound == "memory" else "arithmetic"
    return Content.assemble(
        (f"{roofline.fraction:.0%}", "bold"),
        f" of what the {what} allows: at least {quantity(roofline.bytes)}B moved"
        f" and {quantity(roofline.flops)}FLOP done.",
    )


def quantity(value: float) -> str:
    """With an SI prefix and three figures: 805306368 -> "805 M"."""
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:.3g} {prefix}"
    return f"{value:.3g} "


def _bar(low: float, high: float, longest: float, room: int) -> str:
    """Solid to the interval's low end, shaded to its high end."""
    if longest <= 0:
        return " " * room
    cells = low / longest * room
    solid = "█" * int(cells)
    shaded = (
        max(0, round(high / longest * room) - int(cells))
        if (high - low) / longest * room >= 0.5
        else 0
    )
    if not shaded:
        solid += _EIGHTHS[int((cells % 1) * 8)].strip()
    return (solid + "░" * shaded).ljust(room)
