"""A simulated year: this program's schedule against SM-2 and Leitner, at the same minutes a day.

    python tests/memory/a_year.py

A learner has 200 cards and a few minutes each day. What they remember follows FSRS-6's model of
memory, once with the default parameters (what the schedule assumes), once with others (a learner who
forgets sooner than the schedule assumes). Every schedule may use the same minutes a day: it asks what
is due, the longest overdue first, then new cards; where nothing is left the day ends early. What counts
is the mean chance of recall over all 200 cards, a card not yet met being 0, at the end of every day,
per minute of reviewing. (Made to fill its minutes with cards that are not due yet, no schedule gains
by knowing when they are: then the three come within some percent of each other.)

SM-2: P. A. Wozniak, Optimization of learning, 1990, https://super-memory.com/english/ol/sm2.htm.
Leitner: S. Leitner, So lernt man lernen, 1972, with boxes of 1, 2, 4, 8, 16 and 32 days.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from fsrs.scheduler import DEFAULT_PARAMETERS

from tutor.memory.schedule.fsrs import Rules, fuzz, memory_after, recall
from tutor.memory.schedule.ratings import AGAIN, EASY, GOOD, HARD

CARDS, DAYS = 200, 365
SECONDS = {AGAIN: 20, HARD: 12, GOOD: 8, EASY: 6}  # of one review
FORGETFUL = Rules(tuple(p * (0.6 if i < 4 else 1) for i, p in enumerate(DEFAULT_PARAMETERS)))


@dataclass
class Memory:
    """What a card truly is in the learner's head."""

    stability: float | None = None
    difficulty: float | None = None
    last: int = 0

    def chance(self, day: int, truth: Rules) -> float:
        return 0.0 if self.stability is None else recall(self.stability, day - self.last, truth)

    def reviewed(self, day: int, rating: int, truth: Rules) -> None:
        elapsed = None if self.stability is None else day - self.last
        found = memory_after(truth, self.stability, self.difficulty, elapsed, rating)
        self.stability, self.difficulty, _ = found
        self.last = day


@dataclass
class Fsrs:
    """What this program does, card by card."""

    name: str
    stability: float | None = None
    difficulty: float | None = None
    last: int = 0
    interval: int = 0
    reviews: int = 0

    def after(self, day: int, rating: int) -> int:
        elapsed = None if self.stability is None else day - self.last
        found = memory_after(Rules(), self.stability, self.difficulty, elapsed, rating)
        self.stability, self.difficulty, days = found
        days += fuzz(days, self.name, self.reviews)
        self.interval = days if rating == AGAIN else max(days, self.interval)
        self.last, self.reviews = day, self.reviews + 1
        return day + self.interval


@dataclass
class Sm2:
    name: str
    ease: float = 2.5
    repetitions: int = 0
    interval: float = 0

    def after(self, day: int, rating: int) -> int:
        quality = {AGAIN: 1, HARD: 3, GOOD: 4, EASY: 5}[rating]
        if quality < 3:
            self.repetitions, self.interval = 0, 1
        else:
            steps = (1.0, 6.0)
            known = self.repetitions < len(steps)
            self.interval = steps[self.repetitions] if known else self.interval * self.ease
            self.repetitions += 1
        miss = 5 - quality
        self.ease = max(1.3, self.ease + 0.1 - miss * (0.08 + miss * 0.02))
        return day + round(self.interval)


@dataclass
class Leitner:
    name: str
    box: int = 0

    def after(self, day: int, rating: int) -> int:
        self.box = 0 if rating == AGAIN else min(self.box + 1, 6)
        return day + (1, 1, 2, 4, 8, 16, 32)[self.box]


SCHEDULES: dict[str, Callable[[str], Any]] = {"tutor": Fsrs, "SM-2": Sm2, "Leitner": Leitner}


@dataclass
class Year:
    """`retention`: the mean chance of recall at the end of each day."""

    minutes: float = 0.0
    reviews: int = 0
    retention: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return sum(self.retention) / len(self.retention)

    @property
    def per_minute(self) -> float:
        """Percentage points of recall, over the year, for each minute of a day."""
        return 100 * self.mean / (self.minutes / DAYS)


def live(schedule: Callable[[str], Any], truth: Rules, minutes: float, seed: int) -> Year:
    draw, year = random.Random(seed), Year()
    memories = [Memory() for _ in range(CARDS)]
    plans = [schedule(f"card {i}") for i in range(CARDS)]
    due: dict[int, int] = {}
    for day in range(DAYS):
        spent = 0.0
        asked: set[int] = set()
        while spent < 60 * minutes:
            card = _next(due, asked, day)
            if card is None:
                break
            asked.add(card)
            known = draw.random() < memories[card].chance(day, truth)
            rating = draw.choices((HARD, GOOD, EASY), (1, 8, 1))[0] if known else AGAIN
            memories[card].reviewed(day, rating, truth)
            due[card] = plans[card].after(day, rating)
            spent += SECONDS[rating]
            year.reviews += 1
        year.minutes += spent / 60
        year.retention.append(sum(m.chance(day, truth) for m in memories) / CARDS)
    return year


def _next(due: dict[int, int], asked: set[int], day: int) -> int | None:
    """The longest overdue card, without one a new card, without one none."""
    waiting = ((when, card) for card, when in due.items() if when <= day and card not in asked)
    first = min(waiting, default=None)
    if first is not None:
        return first[1]
    return len(due) if len(due) < CARDS else None


def compared(minutes: float, truth: Rules, seeds: int) -> dict[str, Year]:
    """By schedule: the year of several learners put together."""
    years = {}
    for name, schedule in SCHEDULES.items():
        lived = [live(schedule, truth, minutes, seed) for seed in range(seeds)]
        years[name] = Year(
            sum(year.minutes for year in lived) / seeds,
            sum(year.reviews for year in lived) // seeds,
            [sum(day) / seeds for day in zip(*(year.retention for year in lived), strict=True)],
        )
    return years


def table(minutes: float, truth: Rules, seeds: int) -> Iterator[str]:
    yield "schedule   min a day  reviews  recall, mean  at the end  % per min"
    for name, year in compared(minutes, truth, seeds).items():
        yield (
            f"{name:10} {year.minutes / DAYS:9.2f} {year.reviews:8} {year.mean:13.1%} "
            f"{year.retention[-1]:11.1%} {year.per_minute:10.2f}"
        )


if __name__ == "__main__":
    for what, truth in (("as the schedule assumes", Rules()), ("forgets sooner", FORGETFUL)):
        for minutes in (1.0, 2.0, 4.0):
            print(f"\n{CARDS} cards, {minutes:g} minutes a day, a learner who {what}")
            print("\n".join(table(minutes, truth, seeds=5)))
