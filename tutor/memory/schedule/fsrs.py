"""FSRS-6: how stability and difficulty change with a rating, and the chance to remember.

Algorithm: github.com/open-spaced-repetition/py-fsrs 6.3.2, with its default parameters or those
fitted to the learner. The package is imported only when a card is rated: the stored dates are enough
to know what is due.
"""

import sqlite3
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from tutor.memory.store import settings
from tutor.memory.store.study_day import noon_utc

if TYPE_CHECKING:
    from fsrs import Scheduler

# Raise the number when a rule of this module, cards.py or ratings.py changes: the cards of another
# algorithm are computed anew.
_ALGORITHM = "fsrs 6.3.2, rules 2"
_DECAY = 0.1542  # FSRS-6's last parameter, unless it was fitted


class Rules(NamedTuple):
    """The inputs of a schedule. `parameters`: the 21 of FSRS-6; None means its defaults."""

    parameters: tuple[float, ...] | None = None
    retention: float = 0.9

    @property
    def algorithm(self) -> str:
        """The name that is kept with each card: cards of another one are stale."""
        if self == Rules():
            return _ALGORITHM
        return f"{_ALGORITHM}, fitted {crc32(repr(tuple(self)).encode()):08x}"


def rules_in_use(db: sqlite3.Connection) -> Rules:
    """The rules that the learner's settings give."""
    parameters = settings.get_setting(db, "parameters")
    return Rules(
        tuple(parameters) if parameters else None, settings.get_setting(db, "desired_retention")
    )


@lru_cache(maxsize=1 << 17)
def memory_after(
    rules: Rules,
    stability: float | None,
    difficulty: float | None,
    elapsed: int | None,
    rating: int,
) -> tuple[float, float, int]:
    """FSRS-6's memory after a rating: stability (days), difficulty, days until the next review.

    `elapsed`: study days since the last review, None for the first. Young cards share their few
    histories, so most of a rebuild is found in the cache.
    """
    fsrs, throwaway = _fsrs()
    if stability is None or elapsed is None:
        day, before = _EPOCH, throwaway(card_id=0, due=_EPOCH)
    else:
        day = _EPOCH + timedelta(days=elapsed)
        before = throwaway(
            card_id=0,  # unused; without a number, Card sleeps for a millisecond
            state=fsrs.State.Review,
            stability=stability,
            difficulty=difficulty,
            due=_EPOCH,
            last_review=_EPOCH,
        )
    after, _ = scheduler(rules).review_card(before, fsrs.Rating(rating), day)
    assert after.stability is not None
    assert after.difficulty is not None
    return after.stability, after.difficulty, (after.due - day).days


@lru_cache(maxsize=1)
def _fsrs() -> tuple[Any, Any]:
    """Return the package and a Card that is not copied. A review copies its card first, which would
    take a third of a rebuild."""
    import fsrs

    class Throwaway(fsrs.Card):
        def __copy__(self) -> "Throwaway":
            return self

    return fsrs, Throwaway


_EPOCH = noon_utc(date(2000, 1, 1))

# As in FSRS and Anki: a share of the days that an interval has in each of three ranges
_FUZZ = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.1), (20.0, float("inf"), 0.05))


def fuzz(interval: int, seed: str, reviews: int) -> int:
    """Return the days to add to an interval for which no day was chosen (see load.py), so that cards
    learnt together are not due together.

    The number is never negative. It is drawn from the card's name and its reviews so far, so every
    replay gets the same. All four ratings share a draw: a better rating never makes a card due sooner.
    """
    draw = crc32(f"{seed} {reviews}".encode()) / 2**32
    return int(draw * (widest_fuzz(interval) + 1))


@lru_cache(maxsize=1 << 12)
def widest_fuzz(interval: int) -> int:
    """Return the most days that are added to an interval; 0 below 2.5 days."""
    if interval < 2.5:
        return 0
    return int(1 + sum(share * max(min(interval, end) - start, 0) for start, end, share in _FUZZ))


@lru_cache(maxsize=8)
def scheduler(rules: Rules) -> "Scheduler":
    """Return a scheduler without steps within a day or fuzz: intervals are whole days (see `fuzz`)."""
    from fsrs.scheduler import DEFAULT_PARAMETERS, Scheduler

    return Scheduler(
        parameters=rules.parameters or DEFAULT_PARAMETERS,
        desired_retention=rules.retention,
        learning_steps=(),
        relearning_steps=(),
        enable_fuzzing=False,
    )


def recall(stability: float, days: int, rules: Rules) -> float:
    """The chance to remember, 0 to 1, `days` after a review: FSRS-6's forgetting curve
    (py-fsrs 6.3.2, `Scheduler.get_card_retrievability`).

    Home needs it for every card: for the package each would have to be an object of its own kind.
    """
    decay = -(rules.parameters[20] if rules.parameters else _DECAY)
    factor = 0.9 ** (1 / decay) - 1  # at `stability` days the chance is 0.9
    return float((1 + factor * max(days, 0) / stability) ** decay)
