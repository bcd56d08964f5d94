"""The next steps that home offers: at most three, in order of benefit. Draws nothing."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from tutor.course.catalog.overview import DayOverview, Overview, without_early_checkpoints
from tutor.memory.placement import Standing
from tutor.memory.record import Record

SECONDS_A_QUESTION = 40  # to read, answer and read why; for the estimate of a review
SECONDS_A_TERM = 15


class Review(NamedTuple):
    """The cards that today's review would ask, and the minutes that they take by the learner's own
    pace."""

    questions: int
    kernels: tuple[str, ...]
    minutes: float
    terms: int = 0
    waiting: int = 0  # new cards beyond the day's limit

    @property
    def cards(self) -> int:
        return self.questions + len(self.kernels) + self.terms


class Reading(NamedTuple):
    """A day to read. `section` counts from 0; `minutes` are those left of its sitting. `begun`: the day
    was opened before. `skips`: days before it, after what was read, are not written."""

    day: DayOverview
    section: int
    minutes: float
    begun: bool
    skips: bool


class Kernel(NamedTuple):
    """An exercise of a day to write. `last` is the stored last verdict, None before the first attempt;
    `at` is its time."""

    slug: str
    day: int
    last: dict[str, Any] | None = None
    at: datetime | None = None


class Steps(NamedTuple):
    """What home offers: a review, a day to read, an exercise. `next_review`: the day of the next
    card if none is due."""

    review: Review
    reading: Reading | None
    kernel: Kernel | None
    started: bool
    next_review: date | None


def find_steps(overview: Overview, record: Record, at: Standing, today: date) -> Steps:
    """Find the next steps. `started` is False until the learner has done anything."""
    progress = at.progress
    passed = record.activity.passed_exercises()
    due = record.reviews.due(today)
    review = _review(record, overview, today)._replace(waiting=due.waiting)
    later = due.next
    if not review.cards and (due.questions or due.kernels or due.terms):
        later = today + timedelta(days=1)  # today's limit of cards is reached
    reading = _reading(overview.days, at, record)
    kernel = _kernel(overview, passed, at, record)
    started = bool(progress or at.placed or passed or (kernel and kernel.last))
    return Steps(review, reading, kernel, started, later)


def _review(record: Record, overview: Overview, today: date) -> Review:
    """The cards that a review asks today, within the learner's limits."""
    queue = record.reviews.queue(today)
    cards = Counter(card.id.kind for card in queue)
    kernels = tuple(card.id.key for card in queue if card.id.kind == "exercise")
    minutes = {e.slug: e.minutes for e in overview.exercises}
    seconds = cards["question"] * SECONDS_A_QUESTION + cards["term"] * SECONDS_A_TERM
    whole = seconds / 60 + sum(minutes.get(slug, 15) for slug in kernels)
    return Review(cards["question"], kernels, whole, cards["term"])


def _reading(days: Sequence[DayOverview], at: Standing, record: Record) -> Reading | None:
    """The begun day that was read last, else the first unread day after the furthest read one.
    A day of which one page was read does not displace another that was begun.

    Days that the placement skipped are left out. A checkpoint of a phase with days that are not
    written comes after all lessons.
    """
    written = [day for day in days if day.written and day.day not in at.placed]
    read = {number: p.sections_read for number, p in at.progress.items()}
    begun = [d for d in written if 0 < read.get(d.day, 0) < len(d.sections)]
    fresh = [d for d in written if not read.get(d.day)]
    furthest = max((number for number, count in read.items() if count), default=0)
    ready = without_early_checkpoints(days, fresh)
    ahead = [d for d in ready if d.day > furthest]
    if len(begun) > 1:
        last = record.activity.last_read()
        begun.sort(key=lambda d: (read[d.day] > 1, last.get(d.day, ""), d.day))
    candidates = begun[-1:] or ahead[:1] or ready[:1] or fresh[:1]
    if not candidates:
        return None
    day = candidates[0]
    section = record.activity.place_to_go_on(day.day, day.sitting_ends)
    sitting = day.sitting_of(section) - 1
    first = day.sitting_ends[sitting - 1] + 1 if sitting else 0
    pages = range(first, day.sitting_ends[sitting] + 1)
    unread = len(set(pages) - record.activity.read_sections(day.day))
    minutes = day.sitting_minutes[sitting] * unread / len(pages)
    begun_before = section > 0 or bool(read.get(day.day))
    before = max((n for n in read if n < day.day), default=0)
    skips = any(before < other.day < day.day and not other.written for other in days)
    return Reading(day, section, minutes, begun_before, skips)


def _kernel(overview: Overview, passed: set[str], at: Standing, record: Record) -> Kernel | None:
    """The exercise that failed last, else the first open one, preferably of a day already opened."""
    still_open = [e for e in overview.exercises if e.slug not in passed]
    newest = record.activity.newest_attempts()
    if tried := [e for e in still_open if e.slug in newest]:
        exercise = max(tried, key=lambda e: newest[e.slug])
        last = record.activity.attempts(exercise.slug)[0]
        return Kernel(exercise.slug, exercise.day, last.verdict, last.at)
    met = [e for e in still_open if e.day in at.progress or e.day in at.placed]
    first = next(iter(met or still_open), None)
    return Kernel(first.slug, first.day) if first else None
