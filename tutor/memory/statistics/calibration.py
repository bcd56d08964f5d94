"""The learner's confidence, 1 to 5 before each solution is shown, compared with the results.

A confidence stands for a chance of being right: 1 is 20 %, 5 is 100 %. Brier score: the mean square
of chance less outcome (G. W. Brier, Verification of forecasts expressed in terms of probability,
Monthly Weather Review 78, 1950), 0 is perfect, and 0.25 results from always giving 50 %.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple


class ConfidentAnswer(NamedTuple):
    """A graded answer of a study day, given with a confidence."""

    day: date
    confidence: int
    right: bool


@dataclass(frozen=True)
class Bin:
    """The answers with one confidence: `said` is the chance it stands for, `right` the share of right
    answers, both 0 to 1."""

    confidence: int
    said: float
    right: float
    count: int


def chance(confidence: int) -> float:
    """Return the chance to be right that a confidence of 1 to 5 stands for."""
    return confidence / 5


def curve(answers: Iterable[ConfidentAnswer]) -> tuple[Bin, ...]:
    """Return the calibration curve: a point for each confidence in use, the lowest first."""
    right: dict[int, list[bool]] = {}
    for answer in answers:
        right.setdefault(answer.confidence, []).append(answer.right)
    return tuple(
        Bin(level, chance(level), sum(outcomes) / len(outcomes), len(outcomes))
        for level, outcomes in sorted(right.items())
    )


def brier(answers: Iterable[ConfidentAnswer]) -> float | None:
    """Return the Brier score; None without answers."""
    errors = [(chance(a.confidence) - a.right) ** 2 for a in answers]
    return sum(errors) / len(errors) if errors else None


def brier_by_week(answers: Iterable[ConfidentAnswer]) -> tuple[tuple[date, float], ...]:
    """The score of each week with answers, by its Monday, oldest first."""
    weeks: dict[date, list[ConfidentAnswer]] = {}
    for answer in answers:
        monday = answer.day - timedelta(days=answer.day.weekday())
        weeks.setdefault(monday, []).append(answer)
    return tuple((week, brier(answers) or 0.0) for week, answers in sorted(weeks.items()))
