"""Medians with distribution-free intervals, and when enough samples have been taken. Pure."""

import math
import statistics

from tutor.judge.model.verdict import Sample

MIN_SAMPLES = 20
GOOD_ENOUGH = 0.02  # half-width of the interval over the median


def summary(samples: list[float]) -> Sample:
    """Median and 95 % confidence interval from order statistics.

    The ranks are those of the normal approximation to the binomial, n/2 ∓ 1.96·√n/2 (Le Boudec,
    "Performance Evaluation of Computer and Communication Systems", theorem 2.1).
    """
    ordered = sorted(samples)
    n = len(ordered)
    reach = 1.96 * math.sqrt(n) / 2
    low = max(0, math.floor(n / 2 - reach) - 1)
    high = min(n - 1, math.ceil(n / 2 + reach))
    return Sample(statistics.median(ordered), (ordered[low], ordered[high]), n)


def half_width(sample: Sample) -> float:
    """Half the interval over the median: 0.01 means ±1 %."""
    low, high = sample.ci95_ms
    return (high - low) / 2 / sample.median_ms if sample.median_ms else 0.0


def enough(samples: list[float], whole: float | None = None, within: float = GOOD_ENOUGH) -> bool:
    """Whether the median is known well enough: as a part of `whole` milliseconds, else by itself.
    `within` is the half-width of its interval over it."""
    if len(samples) < MIN_SAMPLES:
        return False
    found = summary(samples)
    share = found.median_ms / whole if whole else 1.0
    return half_width(found) * min(1.0, share) <= within


def clearly_faster(a: Sample, b: Sample) -> bool:
    """Whether a is faster than b beyond doubt: the intervals do not overlap."""
    return a.ci95_ms[1] < b.ci95_ms[0]
