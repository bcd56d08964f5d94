"""A card is the fold of its events: each rating changes its memory and the day it is due."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from tutor.memory.schedule.fsrs import Rules, fuzz, memory_after, widest_fuzz
from tutor.memory.schedule.ratings import AGAIN, SURE

_LONGEST = 5  # digits of an interval in days
LEECH_LAPSES = 8  # lapses, and every 4 after that (Anki's rule)


class Event(NamedTuple):
    """A row of `card_events`, as far as a schedule depends on it. The `value` of a review is the number
    of days until the card is due, if a day was chosen for its load."""

    day: date
    action: str
    rating: int | None = None
    confidence: int | None = None
    origin: str | None = None
    value: str | None = None


class Card(NamedTuple):
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


def _days_chosen(value: str | None) -> int | None:
    """Return the days until a card is due, as they were chosen by the load; None if they were not."""
    if value is None or not value.isdecimal() or len(value) > _LONGEST:
        return None
    return int(value)


def is_leech(lapses: int) -> bool:
    """Return True at the eighth lapse and at each fourth one after it, as Anki does."""
    return lapses >= LEECH_LAPSES and (lapses - LEECH_LAPSES) % 4 == 0


def fold(events: Iterable[Event], seed: str, rules: Rules) -> Card | None:
    """Return the card that follows from its events, oldest first; None while it has not entered.

    Only the first rating of a study day counts: repeating an answer that was just shown says little
    about tomorrow. Cramming never counts. `seed` is the card's name; the fuzz is drawn from it.
    """
    # plain variables and one Card at the end, because a rebuild reads up to a million events
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
            # a remembered card never gets a shorter interval than before
            earliest = days if rating == AGAIN else max(days, interval)
            chosen = _days_chosen(value)
            if chosen is None:
                interval = max(earliest, days + fuzz(days, seed, reviews))
            else:
                interval = max(earliest, min(chosen, days + widest_fuzz(days)))
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
        elif action == "revise":  # the author marked a change of meaning: the card is due at once
            due, changed = min(due, day), True
    if due is None:
        return None
    return Card(
        due, stability, difficulty, last, reviews, lapses, suspended, changed, sure, flag, note
    )
