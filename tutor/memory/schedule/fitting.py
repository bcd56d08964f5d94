"""FSRS's 21 parameters fitted to one learner's reviews, by the optimiser of Anki (fsrs-rs).

The gain is measured on reviews that the fit has not seen: fitted to the older part, evaluated on
the newer. Then parameters are fitted to all of them.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from tutor.base.errors import CannotHere, UsageError

FEWEST_REVIEWS = 512  # reviews on a later day than the card's first, as in py-fsrs
_HELD_OUT_SHARE = 0.2  # of the reviews, the newest


class History(NamedTuple):
    """A card's ratings up to the rating to predict, as (rating, days since the rating before)."""

    day: date
    ratings: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Fit:
    """`before` and `after`: log loss and RMSE (in bins) on the reviews held back, lower is better,
    of the parameters in use and of fitted ones. `parameters` are fitted to every review."""

    reviews: int
    before: tuple[float, float]
    after: tuple[float, float]
    parameters: tuple[float, ...]

    @property
    def better(self) -> bool:
        return self.after[0] < self.before[0]


def read_histories(db: sqlite3.Connection) -> list[History]:
    """List a history for each review that counted, except each card's first; oldest first."""
    rows = db.execute(
        "SELECT card, study_day, rating FROM card_events AS e WHERE action = 'review' "
        "AND origin <> 'cram' AND NOT EXISTS (SELECT 1 FROM card_events AS u "
        "WHERE u.action = 'undo' AND u.value = CAST(e.uid AS TEXT)) ORDER BY card, at, id"
    )
    cards = []
    for _, reviews in groupby(rows, key=itemgetter(0)):
        ratings: list[tuple[int, int]] = []
        last = None
        for _, text, rating in reviews:
            day = date.fromisoformat(text)
            if last is not None and day <= last:
                continue  # a repeat on the same study day schedules nothing
            ratings.append((rating, (day - last).days if last else 0))
            last = day
            if len(ratings) > 1:
                cards.append(History(day, tuple(ratings)))
    return sorted(cards, key=itemgetter(0))


def fit_parameters(known: Sequence[History], in_use: Sequence[float] | None) -> Fit:
    """Fit to these reviews, the oldest first. `in_use`: the parameters, None for the defaults.

    Raises `CannotHere` without the package and `UsageError` without enough reviews.
    """
    try:
        import fsrs_rs_python as optimiser
    except ImportError:
        raise CannotHere(
            "fitting needs the package fsrs-rs-python: pip install fsrs-rs-python"
        ) from None
    if len(known) < FEWEST_REVIEWS:
        raise UsageError(
            f"{len(known)} reviews are too few to fit to: the schedule needs {FEWEST_REVIEWS} to "
            "know you; until then the defaults, fitted to thousands of people, are the better guess"
        )
    cut = int(len(known) * (1 - _HELD_OUT_SHARE))
    older, newer = _items(optimiser, known[:cut]), _items(optimiser, known[cut:])
    now = in_use or optimiser.DEFAULT_PARAMETERS
    fresh = optimiser.FSRS(list(optimiser.DEFAULT_PARAMETERS))

    def evaluate(parameters: Sequence[float]) -> tuple[float, float]:
        errors = optimiser.FSRS(list(parameters)).evaluate(newer)
        return round(errors.log_loss, 4), round(errors.rmse_bins, 4)

    return Fit(
        reviews=len(known),
        before=evaluate(now),
        after=evaluate(fresh.compute_parameters(older)),
        parameters=tuple(fresh.compute_parameters(older + newer)),
    )


def _items(optimiser: Any, known: Sequence[History]) -> list[Any]:
    return [
        optimiser.FSRSItem([optimiser.FSRSReview(rating, days) for rating, days in one.ratings])
        for one in known
    ]
