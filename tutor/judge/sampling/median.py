"""Medians with distribution-free intervals, and the test for enough samples. Pure."""

import math
import statistics

from tutor.judge.model.verdict import Sample

MIN_SAMPLES = 20
GOOD_ENOUGH = 0.02  # half-width of the interval over the median


def summarize_samples(samples: list[float]) -> Sample:
    """Return the median and its 95 % confidence interval from order statistics.

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
    """Return half the interval over the median: 0.01 means ±1 %."""
    low, high = sample.ci95_ms
    return (high - low) / 2 / sample.median_ms if sample.median_ms else 0.0


def is_precise_enough(
    samples: list[float], whole: float | None = None, within: float = GOOD_ENOUGH
) -> bool:
    """Return True if the median is known well enough, as a part of `whole` milliseconds if given.

    `within` is the greatest half-width of the interval over the median.
    """
    if len(samples) < MIN_SAMPLES:
        return False
    sample = summarize_samples(samples)
    share = sample.median_ms / whole if whole else 1.0
    return half_width(sample) * min(1.0, share) <= within


def is_clearly_faster(a: Sample, b: Sample) -> bool:
    """Return True if `a` is faster than `b` and the intervals do not overlap."""
    return a.ci95_ms[1] < b.ci95_ms[0]
