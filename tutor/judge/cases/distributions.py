"""Whether counted draws come from given probabilities: chi-square with a bound that chance passes.

An exercise on sampling lets the answer draw many times from a fixed seed, counts what came out, and
asks here. A right answer may use its random numbers in any order, so its draws are never compared one
by one. The bound lies at five standard deviations: a right answer with another seed stays below it in
all but about one of three million statistics. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SIGMAS = 5.0
_FEWEST = 10.0  # expected draws of a cell; rarer cells of a row are counted together


@dataclass(frozen=True)
class Fit:
    """How far counts are from what was expected.

    `statistic` is the sum of (counted - expected)² / expected over the cells, `freedom` the number of
    cells less the number of rows, and `draws` how many draws were counted.
    """

    statistic: float
    freedom: int
    draws: int

    @property
    def bound(self) -> float:
        """The statistic up to which chance is an explanation."""
        return chi_square_bound(self.freedom)

    @property
    def is_likely(self) -> bool:
        """Whether the counts may come from the probabilities."""
        return self.statistic <= self.bound


def chi_square_bound(freedom: int, sigmas: float = SIGMAS) -> float:
    """Return the value that chi-square with so many degrees of freedom exceeds as rarely as a normal
    number exceeds `sigmas` standard deviations (Wilson and Hilferty's approximation; at five standard
    deviations it is too large by at most 17 %, which errs on the side of a right answer)."""
    if freedom < 1:
        return 0.0
    spread = 2 / (9 * freedom)
    return float(freedom * (1 - spread + sigmas * math.sqrt(spread)) ** 3)


def chi_square_floor(freedom: int, sigmas: float = SIGMAS) -> float:
    """Return the value below which chi-square with so many degrees of freedom is as rarely: counts that
    are so near to what is expected were not drawn one by one. The same approximation, which is off by
    at most 13 % from 40 degrees on, and too small there."""
    spread = 2 / (9 * freedom)
    return float(freedom * max(0.0, 1 - spread - sigmas * math.sqrt(spread)) ** 3)


def fit(counts: Sequence[int], probabilities: Sequence[float]) -> Fit:
    """Compare one row of counts with its probabilities, which add up to 1."""
    return fit_rows([counts], [probabilities])


def fit_rows(counts: Iterable[Sequence[int]], probabilities: Iterable[Sequence[float]]) -> Fit:
    """Compare rows of counts, each drawn from its own probabilities: one row a context, for instance.

    Rows are taken as they come: how often each context came is not judged. A draw whose probability is
    0 makes the statistic infinite. Raises `ValueError` where a row has another length than its
    probabilities.
    """
    statistic, freedom, draws = 0.0, 0, 0
    for row, chances in zip(counts, probabilities, strict=True):
        if len(row) != len(chances):
            raise ValueError(f"{len(row)} counts and {len(chances)} probabilities")
        total = sum(row)
        draws += total
        cells = _join_rare(row, [total * chance for chance in chances])
        statistic += sum(_distance(counted, expected) for counted, expected in cells)
        freedom += max(len(cells) - 1, 0)
    return Fit(statistic, freedom, draws)


def _join_rare(row: Sequence[int], expected: Sequence[float]) -> list[tuple[float, float]]:
    """Return counted and expected of each cell, with those of few expected draws as one cell."""
    pairs = list(zip(map(float, row), expected, strict=True))
    impossible = sum(counted for counted, wanted in pairs if wanted <= 0)
    pairs = [pair for pair in pairs if pair[1] > 0]
    kept = [pair for pair in pairs if pair[1] >= _FEWEST]
    rare = [pair for pair in pairs if pair[1] < _FEWEST]
    joined = (sum(counted for counted, _ in rare), sum(wanted for _, wanted in rare))
    if joined[1] >= _FEWEST:
        kept.append(joined)
    elif rare and kept:  # still too rare: it goes to the rarest of the others
        kept.sort(key=lambda pair: -pair[1])
        counted, wanted = kept.pop()
        kept.append((counted + joined[0], wanted + joined[1]))
    if impossible:
        kept.append((impossible, 0.0))
    return kept


def _distance(counted: float, expected: float) -> float:
    if expected <= 0:
        return math.inf if counted else 0.0
    return (counted - expected) ** 2 / expected


def find_unlikely(fits: Iterable[tuple[str, Fit]]) -> tuple[str, Fit] | None:
    """Return the first named fit that chance does not explain, or None."""
    return next(((name, each) for name, each in fits if not each.is_likely), None)
