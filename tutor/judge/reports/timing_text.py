"""Sentences on times, the same in a pane and in plain lines. Pure."""

import math
from collections.abc import Sequence

from tutor.base.number_text import write_apart
from tutor.hardware import gpus
from tutor.hardware.roofline import format_quantity, roof_of_datasheet
from tutor.judge.model.verdict import Roofline, Sample, Timing
from tutor.judge.sampling import median

_MAX_NAME = 60  # characters of a kernel's name
_USUAL = [g for g in gpus.GPUS if g.name in ("T4", "A100", "RTX 4090", "H100", "H200", "B200")]
_CELL = 20  # columns of one of them and the gap behind it


Unit = tuple[float, str]  # its size in milliseconds, its name


def unit_of(longest_ms: float) -> Unit:
    """Return one unit for all times up to this one, so that the figures can be compared."""
    if longest_ms >= 1000:
        return 1000.0, "s"
    return (1.0, "ms") if longest_ms >= 0.05 else (0.001, "µs")


def longest_unit(timing: Timing) -> Unit:
    """Return one unit for all that a report has of these times."""
    limit = [timing.roofline.limit_ms] if timing.roofline and timing.believed else []
    return unit_of(
        max([*limit, *(sample.ci95_ms[1] for _, sample in list_samples(timing))], default=0.0)
    )


def format_in_unit(ms: float, unit: Unit, digits: int = 3) -> str:
    """Format significant figures without a power of ten."""
    value = ms / unit[0]
    places = max(0, digits - 1 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{min(places, digits + 2)}f} {unit[1]}"


def format_figures(times_ms: Sequence[float], unit: Unit) -> tuple[str, ...]:
    """Format times that stand below one another, and keep apart what differs in six figures."""
    return write_apart(times_ms, lambda ms, digits: format_in_unit(ms, unit, digits), 3, 6)


def format_interval(sample: Sample, unit: Unit) -> str:
    """Format a median, its interval and the number of samples."""
    median_ms, *ends = format_figures((sample.median_ms, *sample.ci95_ms), unit)
    low, high = (end.partition(" ")[0] for end in ends)
    return f"{median_ms}, 95 % between {low} and {high}, {sample.samples} samples"


def list_samples(timing: Timing) -> list[tuple[str, Sample]]:
    """Return the measured times by their names; the learner's only if it is believed."""
    rows = [("eager", timing.eager), ("compiled", timing.compiled)]
    if timing.believed:
        rows.insert(0, ("yours", timing.learner))
    return [(name, sample) for name, sample in rows if sample]


def format_time(ms: float) -> str:
    """Format a time in a suitable unit: `0.0526 ms`, `3.94 µs`, `1.20 s`."""
    return format_in_unit(ms, unit_of(ms))


def summarize_timing(timing: Timing) -> str:
    """Return the medians so far: `yours 0.0526 ms ±1.2% · eager 0.0601 ms ±0.8%`."""
    return " · ".join(
        f"{name} {format_time(sample.median_ms)} ±{median.half_width(sample):.1%}"
        for name, sample in list_samples(timing)
    )


def comparisons(timing: Timing) -> list[str]:
    """Return comparisons such as `Faster than eager by 1.40–1.60×`; overlapping intervals are equal."""
    if not timing.believed:
        return []
    others = [("eager", timing.eager), ("torch.compile", timing.compiled)]
    return [_comparison(timing.learner, name, other) for name, other in others if other]


def _comparison(mine: Sample, name: str, other: Sample) -> str:
    if median.is_clearly_faster(mine, other):
        return f"Faster than {name} by {_times(other, mine)}."
    if median.is_clearly_faster(other, mine):
        return f"Slower than {name} by {_times(mine, other)}."
    return f"No difference to {name} can be told: the intervals overlap."


def _times(slow: Sample, fast: Sample) -> str:
    """Return the ratio, from the intervals' nearest ends to their farthest."""
    low, high = slow.ci95_ms[0] / fast.ci95_ms[1], slow.ci95_ms[1] / fast.ci95_ms[0]
    least, most = ratios(low, high)
    return f"{least}×" if least == most else f"{least}–{most}×"


def ratios(*values: float) -> list[str]:
    """Format ratios with two decimals, or with as many more as tell the first one from 1."""
    first, _ = write_apart((values[0], 1.0), lambda value, places: f"{value:.{places}f}", 2, 4)
    return [f"{value:.{len(first.partition('.')[2])}f}" for value in values]


def describe_launch_time(timing: Timing) -> str:
    """Describe the cost of the launch on CUDA; return "" on a CPU."""
    if not timing.launch or not timing.believed:
        return ""
    empty = format_time(timing.launch.median_ms)
    alone = f"An empty launch takes {empty}, timed the same way"
    if timing.alone_ms:
        alone += f"; the kernel alone {format_time(timing.alone_ms)}"
    if not timing.launch_bound:
        return f"{alone}."
    host = (
        f"the host needs {format_time(timing.host_ms)} to submit a call" if timing.host_ms else ""
    )
    device = f"the device {format_time(timing.learner.median_ms)} to run it"
    text = f"{host}, {device}" if host else device
    return f"Launch-bound: {text}. {alone}."


def compare_with_limit(roofline: Roofline) -> str:
    """Compare the time with the limit and with the peak measured on this machine."""
    of = "memory" if roofline.bound == "memory" else "arithmetic"
    size, work = format_quantity(roofline.bytes), format_quantity(roofline.flops)
    moved = f"at least {size}B moved and {work}FLOP done"
    if roofline.fraction > 1:  # the limit was a copy's speed
        text = f"Quicker than a copy of as many bytes: {moved}."
    else:
        text = f"{roofline.fraction:.0%} of what the {of} allows: {moved}."
    text += f" The limit is {roofline.peak}." if roofline.peak else ""
    if roofline.measured_ms and roofline.limit_ms:
        share = roofline.fraction * roofline.measured_ms / roofline.limit_ms
        text += f" {share:.0%} of {roofline.measured}."
    return text


def on_other_gpus(nbytes: int, flops: int, units: str, width: int) -> list[str]:
    """Return a small table of the least times of this work on usual GPUs, by their datasheets."""
    least = [roof_of_datasheet(gpu, units).limit(nbytes, flops).ms for gpu in _USUAL]
    unit = unit_of(min(least))
    cells = [
        f"{g.name:<8} {format_in_unit(ms, unit):>9}" for g, ms in zip(_USUAL, least, strict=True)
    ]
    across = max(1, min(3, (width + 2) // _CELL))
    rows = [cells[at : at + across] for at in range(0, len(cells), across)]
    return ["Least times of this work by datasheet:", *map("  ".join, rows)]


def format_profile(timing: Timing) -> list[str]:
    """Return a line for each kernel in CUPTI's record, or the reason if there are none."""
    measured = timing.profile
    if measured is None:
        return []
    if not measured.kernels:
        return [measured.note]
    total = sum(kernel.count * kernel.median_us for kernel in measured.kernels)
    lines = [
        f"{format_time(kernel.median_us / 1e3):>9}  {kernel.count:>4g} × a call  "
        f"{_shorten(kernel.name)}"
        for kernel in measured.kernels
    ]
    events = timing.alone_ms or timing.learner.median_ms
    return [
        "Kernels by CUPTI, medians:",
        *lines,
        f"{format_time(total / 1e3):>9}  in all; "
        f"by events {format_time(events)} without an empty launch",
    ]


def _shorten(name: str) -> str:
    return name if len(name) <= _MAX_NAME else name[: _MAX_NAME - 1] + "…"
