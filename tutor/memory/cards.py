"""When to ask again: rules that turn an answer or an attempt into a rating, and FSRS-6 behind them.

Algorithm: FSRS-6 with its default parameters (github.com/open-spaced-repetition/py-fsrs 6.3.2). It
is imported only when something is rated: to know what is due, the stored dates are enough.
"""

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from tutor.memory.studyday import noon_utc

if TYPE_CHECKING:
    from fsrs import Scheduler

# Raise the number when a rule of this module changes: cards of another algorithm are computed anew.
ALGORITHM = "fsrs 6.3.2, rules 1"

AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4


@dataclass(frozen=True)
class Card:
    """The schedule of one question or exercise. Dates are study days; stability is in days."""

    stability: float
    difficulty: float
    due: date
    last_review: date
    reviews: int = 1
    lapses: int = 0


def rating_of_answer(right: bool | None, credit: float, confidence: int | None) -> int | None:
    """Wrong is Again, partly right Hard, right Good, right and sure of it Easy; ungraded None."""
    if right is None:
        return None
    if right:
        return EASY if confidence == 5 else GOOD
    return HARD if credit > 0 else AGAIN


def rating_of_pass(hints: int, failures: int) -> int:
    """An exercise that passes: Good, lowered by the hints taken and the attempts that failed."""
    slips = max(hints, failures)
    return GOOD if slips == 0 else HARD if slips < 3 else AGAIN


def after_answer(
    card: Card | None,
    right: bool | None,
    credit: float,
    confidence: int | None,
    origin: str,
    day: date,
) -> Card | None:
    """The card of a question after an answer; None while it needs none.

    A question enters when it was answered wrong, or in a review. Of one study day only the first
    answer counts: to repeat what was just shown says little about tomorrow.
    """
    rating = rating_of_answer(right, credit, confidence)
    if rating is None or (card is None and right and origin != "review"):
        return card
    if card is not None and day <= card.last_review:
        return card
    return review(card, rating, day)


def after_attempt(
    card: Card | None, passed: bool, hints: int, failures: int, day: date
) -> Card | None:
    """The card of an exercise after an attempt; None until it has first passed.

    Once it is due, it stays so until it passes. `hints`: how many were shown since it last passed;
    `failures`: how many attempts failed since it became due. Before its date it is only practice.
    """
    if not passed or (card is not None and day < card.due):
        return card
    return review(card, rating_of_pass(hints, failures), day)


def review(card: Card | None, rating: int, day: date) -> Card:
    """FSRS's next state. A day before the last review (the clock went back) counts as that day."""
    import fsrs

    if card is None:
        before = fsrs.Card(card_id=0, due=noon_utc(day))
    else:
        day = max(day, card.last_review)
        before = fsrs.Card(
            card_id=0,  # nothing of ours needs it; without one, Card sleeps a millisecond
            state=fsrs.State.Review,
            stability=card.stability,
            difficulty=card.difficulty,
            due=noon_utc(card.due),
            last_review=noon_utc(card.last_review),
        )
    after, _ = _scheduler().review_card(before, fsrs.Rating(rating), noon_utc(day))
    assert after.stability is not None
    assert after.difficulty is not None
    return Card(
        stability=after.stability,
        difficulty=after.difficulty,
        due=after.due.date(),
        last_review=day,
        reviews=(card.reviews if card else 0) + 1,
        lapses=(card.lapses if card else 0) + (card is not None and rating == AGAIN),
    )


@lru_cache(maxsize=1)
def _scheduler() -> "Scheduler":
    """No steps within a day: every interval is whole days. No fuzz: a replay gives the same."""
    from fsrs import Scheduler

    return Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
