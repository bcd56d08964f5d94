"""Repeated measurements of one thing, and what is said of them. Pure."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Times:
    """Milliseconds, at least one of them."""

    ms: tuple[float, ...]

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Times":
        if not seconds:
            raise ValueError("nothing was measured")
        return cls(tuple(each * 1e3 for each in seconds))

    @property
    def median(self) -> float:
        return statistics.median(self.ms)

    def percentile(self, percent: float) -> float:
        """Nearest rank: the least value that `percent` of all values do not exceed."""
        rank = math.ceil(percent / 100 * len(self.ms))
        return sorted(self.ms)[max(rank, 1) - 1]

    def words(self) -> str:
        """`312 ms (n 8, 301 to 340)`."""
        return (
            f"{_ms(self.median)} ms (n {len(self.ms)}, {_ms(min(self.ms))} to {_ms(max(self.ms))})"
        )

    def percentiles(self) -> str:
        """`p50 21 ms, p95 38 ms (n 40, 12 to 41)`."""
        return (
            f"p50 {_ms(self.percentile(50))} ms, p95 {_ms(self.percentile(95))} ms "
            f"(n {len(self.ms)}, {_ms(min(self.ms))} to {_ms(max(self.ms))})"
        )


def rounded(ms: float) -> float:
    """To a tenth of a millisecond: nothing here is more exact."""
    return round(ms, 1)


def _ms(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"
