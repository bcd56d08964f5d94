"""Times as bars: the learner's next to eager PyTorch, torch.compile and what the hardware allows."""

from textual.content import Content

from tutor.judge.model.verdict import Roofline, Sample, Timing
from tutor.judge.reports import timing_text
from tutor.judge.sampling import median
from tutor.ui.kit.text.safe_text import bounded

_EIGHTHS = " ▏▎▍▌▋▊▉"


def timing_lines(timing: Timing, width: int) -> Content:
    """A bar for each time on a common scale from zero, with its interval as the shaded end; then
    sentences on the times. A time that is not believed has no bar."""
    rows = [("compiled", timing.compiled), ("eager", timing.eager)]
    if timing.believed:
        rows.insert(0, ("yours", timing.learner))
    samples = [(name, sample) for name, sample in rows if sample is not None]
    longest = max((sample.ci95_ms[1] for _, sample in samples), default=0.0)
    limit = timing.roofline if timing.believed else None
    if limit:
        longest = max(longest, limit.limit_ms)
    room = max(6, width - 42)
    unit = timing_text.unit_of(longest)
    lines = [
        _sample_line(name, sample, timing.eager, longest, room, unit) for name, sample in samples
    ]
    if limit:
        lines.append(_limit_line(limit, longest, room, unit))
    if not timing.final:
        lines.append(Content.styled("still being measured", "dim italic"))
    sentences = [*timing_text.comparisons(timing), timing_text.launch(timing)]
    if limit:
        sentences.insert(0, timing_text.reached(limit))
    lines += [Content(""), *(Content(bounded(text, lines=3)) for text in sentences if text)]
    if timing.note:
        lines.append(Content.styled(bounded(timing.note, lines=5), "$warning"))
    if profiled := timing_text.profile(timing):
        lines += [Content(""), Content(bounded("\n".join(profiled), lines=30))]
    return Content("\n").join(lines)


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
        apart = median.clearly_faster(sample, eager) or median.clearly_faster(eager, sample)
        times = f"{eager.median_ms / sample.median_ms:.2f}× eager" if apart else "≈ eager"
    style = "bold $primary" if name == "yours" else "$foreground 70%"
    return Content.assemble(
        (f"{name:<9}", "bold" if name == "yours" else ""),
        f"{timing_text.figure(sample.median_ms, unit):>9} ",
        (f"±{spread:<5.1%} ", "dim"),
        (_bar(low, high, longest, room), style),
        (f" {times}", ""),
    )


def _limit_line(roofline: Roofline, longest: float, room: int, unit: tuple[float, str]) -> Content:
    return Content.assemble(
        f"{'limit':<9}{timing_text.figure(roofline.limit_ms, unit):>9}        ",
        (_bar(roofline.limit_ms, roofline.limit_ms, longest, room), "$foreground 70%"),
    )


def _bar(low: float, high: float, longest: float, room: int) -> str:
    """A bar that is solid to the low end of the interval and shaded to its high end."""
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
