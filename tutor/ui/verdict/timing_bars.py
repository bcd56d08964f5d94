"""Times as bars: the learner's next to eager PyTorch, torch.compile and what the hardware allows."""

from textual.content import Content

from tutor.judge.model.verdict import Sample, Timing
from tutor.judge.reports import timing_text
from tutor.judge.sampling import median

_EIGHTHS = " ▏▎▍▌▋▊▉"
_OWN, _OTHERS = "bold $primary", "$foreground 70%"


def timing_bars(timing: Timing, width: int) -> Content:
    """A bar for each time on a common scale from zero, with its interval as the shaded end. A time that
    is not believed has no bar."""
    rows = timing_text.list_samples(timing)
    limits = [timing.roofline.limit_ms] if timing.roofline and timing.believed else []
    longest = max([*limits, *(sample.ci95_ms[1] for _, sample in rows)], default=0.0)
    medians = [sample.median_ms for _, sample in rows]
    figures = timing_text.format_figures([*medians, *limits], timing_text.longest_unit(timing))
    wide = max(map(len, figures), default=0)
    room = max(6, width - 33 - wide)
    lines = []
    for (name, sample), figure in zip(rows, figures, strict=False):
        own = name == "yours"
        lines.append(
            Content.assemble(
                (f"{name:<9}", "bold" if own else ""),
                f"{figure:>{wide}} ",
                (f"±{median.half_width(sample):<5.1%} ", "dim"),
                (_bar(*sample.ci95_ms, longest, room), _OWN if own else _OTHERS),
                f" {_beside_eager(sample, timing.eager)}",
            )
        )
    for limit in limits:
        head = f"{'limit':<9}{figures[-1]:>{wide}}        "
        lines.append(Content.assemble(head, (_bar(limit, limit, longest, room), _OTHERS)))
    return Content("\n").join(lines)


def _beside_eager(sample: Sample, eager: Sample | None) -> str:
    if eager is None or sample is eager or not sample.median_ms:
        return ""
    if not (median.is_clearly_faster(sample, eager) or median.is_clearly_faster(eager, sample)):
        return "≈ eager"
    return f"{timing_text.ratios(eager.median_ms / sample.median_ms)[0]}× eager"


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
