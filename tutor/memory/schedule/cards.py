"""When to ask again: rules that turn an answer or an attempt into a rating, and FSRS-6 behind them.

Algorithm: FSRS-6 (github.com/open-spaced-repetition/py-fsrs 6.3.2), with its default parameters or
those fitted to the learner. It is imported only when something is rated: to know what is due, the
stored dates are enough.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from tutor.memory.store.study_day import noon_utc

if TYPE_CHECKING:
    from fsrs import Scheduler

# Raise the number when a rule of this module changes: cards of another algorithm are computed anew.
_ALGORITHM = "fsrs 6.3.2, rules 2"

AGAIN, HARD, GOOD, EASY = RATINGS = 1, 2, 3, 4
_DECAY = 0.1542  # FSRS-6's last parameter, unless it was fitted
SURE = 4  # from this confidence on, a wrong answer is a confident mistake
LEECH = 8  # lapses, and every 4 after that (Anki's rule)


class Rules(NamedTuple):
    """What a schedule is computed with. `parameters`: the 21 of FSRS-6; None means its defaults."""

    parameters: tuple[float, ...] | None = None
    retention: float = 0.9

    @property
    def algorithm(self) -> str:
        """The name that is kept with each card: cards of another one are stale."""
        if self == Rules():
            return _ALGORITHM
        return f"{_ALGORITHM}, fitted {crc32(repr(tuple(self)).encode()):08x}"


class Event(NamedTuple):
    """A row of `card_events`, as far as a schedule depends on it."""

    day: date
    action: str
    rating: int | None = None
    confidence: int | None = None
    origin: str | None = None
    value: str | None = None


@dataclass(frozen=True)
class Card:
    """The schedule of a question, term or exercise. Dates are study days; stability is in days and,
    like difficulty and last_review, None while the card is new."""

    due: date
    stability: float | None = None
    difficulty: float | None = None
    last_review: date | None = None
    reviews: int = 0
    lapses: int = 0
    suspended: bool = False
    changed: bool = False
    sure: bool = False
    flag: int = 0
    note: str = ""


def rating_of_answer(right: bool | None, credit: float, confidence: int | None) -> int | None:
    """Wrong is Again, partly right Hard, right Good, right and sure of it Easy; ungraded None."""
    if right is None:
        return None
    if right:
        return EASY if confidence == 5 else GOOD
    return HARD if credit > 0 else AGAIN


def rating_of_pass(hints: int, failures: int, share_of_time: float | None = None) -> int:
    """An exercise that passes: Good, lowered by the hints taken and the attempts that failed.

    `share_of_time`: minutes at work over the minutes the exercise is meant to take, None where
    nobody knows. More than twice as long is a slip; half of it without any slip is Easy.
    """
    slips = max(hints, failures)
    if share_of_time is not None and share_of_time > 2:
        slips = max(slips, 1)
    if slips == 0:
        return EASY if share_of_time is not None and share_of_time <= 0.5 else GOOD
    return HARD if slips < 3 else AGAIN


def is_leech(lapses: int) -> bool:
    return lapses >= LEECH and (lapses - LEECH) % 4 == 0


def fold(events: Iterable[Event], seed: str, rules: Rules) -> Card | None:
    """The card that follows from its events, oldest first; None while it has not entered.

    Of one study day only the first rating counts: to repeat what was just shown says little about
    tomorrow. Cramming counts never. `seed` is the card's name; the fuzz is drawn from it.
    """
    # plain variables, and one Card at the end: a rebuild goes through a million events
    due = stability = difficulty = last = None
    reviews = lapses = interval = flag = 0
    suspended = changed = sure = False
    note = ""
    for day, action, rating, confidence, origin, value in events:
        if action == "review":
            if rating is None or origin == "cram" or (last is not None and day <= last):
                continue
            elapsed: int | None = None if last is None else (day - last).days
            stability, difficulty, days = memory_after(
                rules, stability, difficulty, elapsed, rating
            )
            days += fuzz(days, seed, reviews)
            # what was remembered is never asked sooner than it was planned last time
            interval = days if rating == AGAIN else max(days, interval)
            due, last = day + timedelta(days=interval), day
            reviews += 1
            lapses += rating == AGAIN and elapsed is not None
            sure = rating == AGAIN and confidence is not None and confidence >= SURE
            changed = False
        elif due is None:
            if action == "enter":
                due = day + timedelta(days=1)
        elif action == "bury":
            due = max(due, day + timedelta(days=1))
        elif action in ("suspend", "unsuspend"):
            suspended = action == "suspend"
        elif action == "flag":
            flag = int(value or 0)
        elif action == "note":
            note = value or ""
        elif action == "revise":  # the author says that the meaning changed: ask at once
            due, changed = min(due, day), True
    if due is None:
        return None
    return Card(
        due, stability, difficulty, last, reviews, lapses, suspended, changed, sure, flag, note
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
            card_id=0,  # nothing of ours needs it; without one, Card sleeps a millisecond
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
    """The package, and a Card that nobody keeps: to copy it, as a review does first, would take a
    third of a rebuild."""
    import fsrs

    class Throwaway(fsrs.Card):
        def __copy__(self) -> "Throwaway":
            return self

    return fsrs, Throwaway


_EPOCH = noon_utc(date(2000, 1, 1))

# FSRS's and Anki's: a share of what an interval has in each of three ranges (days)
_FUZZ = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.1), (20.0, float("inf"), 0.05))


def fuzz(interval: int, seed: str, reviews: int) -> int:
    """Days to add to an interval, so that what was learnt together is not asked together.

    Never negative, and the same at every replay: drawn from the card's name and its reviews so far,
    with one draw for all four ratings, so that a better rating is never asked sooner.
    """
    if interval < 2.5:
        return 0
    draw = crc32(f"{seed} {reviews}".encode()) / 2**32
    return int(draw * (_widest(interval) + 1))


@lru_cache(maxsize=1 << 12)
def _widest(interval: int) -> int:
    """The most days that are added to an interval."""
    return int(1 + sum(share * max(min(interval, end) - start, 0) for start, end, share in _FUZZ))


@lru_cache(maxsize=8)
def scheduler(rules: Rules) -> "Scheduler":
    """No steps within a day: every interval is whole days. The fuzz is ours (see `fuzz`)."""
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

    Computed here because home shows it of every day: to import the package takes 50 ms.
    """
    decay = -(rules.parameters[20] if rules.parameters else _DECAY)
    factor = 0.9 ** (1 / decay) - 1  # at `stability` days the chance is 0.9
    return float((1 + factor * max(days, 0) / stability) ** decay)
