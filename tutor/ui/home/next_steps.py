"""The next steps that home offers, in order of benefit. Draws nothing.

Continue leads to where the learner worked last: a lesson's page, an exercise or a quiz's question that
is not done; with nothing begun it leads to the next day.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from tutor.base.errors import UsageError
from tutor.course.catalog.course import Course
from tutor.course.catalog.overview import (
    DayOverview,
    Overview,
    list_unwritten_between,
    without_early_checkpoints,
)
from tutor.memory.next_exercise import find_next_exercise
from tutor.memory.placement import Standing
from tutor.memory.project_choice import find_set_aside
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
    """A day to read. `section` counts from 0; `minutes` are those left of the `of` of its sitting.
    `begun`: the day was opened before. `skips`: the days before it, after what was read, that are not
    written.
    """

    day: DayOverview
    section: int
    minutes: int
    of: int
    begun: bool
    skips: tuple[int, ...]


class Kernel(NamedTuple):
    """An exercise of a day to write. `last` is the stored last verdict, None before the first attempt;
    `at` is its time. `begun`: a text was written, or a hint shown."""

    slug: str
    day: int
    last: dict[str, Any] | None = None
    at: datetime | None = None
    begun: bool = False


class QuizLeft(NamedTuple):
    """A quiz that was begun: its next question, from 1, of how many."""

    day: int
    question: int
    of: int


class Steps(NamedTuple):
    """What home offers: a review, a day to read, an exercise. `stopped`: where the learner worked last,
    if that is not done; else None. `next_review`: the day of the next card if none is due."""

    review: Review
    reading: Reading | None
    kernel: Kernel | None
    started: bool
    next_review: date | None
    stopped: Reading | Kernel | QuizLeft | None = None


def find_steps(course: Course, record: Record, at: Standing, today: date) -> Steps:
    """Find the next steps. `started` is False until the learner has done anything."""
    overview, progress = course.overview(), at.progress
    passed = record.activity.passed_exercises()
    due = record.reviews.due(today)
    review = _review(record, overview, today)._replace(waiting=due.waiting)
    later = due.next
    if not review.cards and (due.questions or due.kernels or due.terms):
        later = today + timedelta(days=1)  # today's limit of cards is reached
    reading = find_reading(overview.days, at, record)
    stopped = _find_stop(course, overview, record, at, reading, passed)
    days = [step.day for step in (stopped, reading) if step is not None]
    day = next((d if isinstance(d, int) else d.day for d in days), 0)
    slug = find_next_exercise(course, record, day)
    kernel = _kernel(overview, record, slug) if slug else None
    started = bool(progress or at.placed or passed or stopped or (kernel and kernel.last))
    return Steps(review, reading, kernel, started, later, stopped)


def _find_stop(
    course: Course,
    overview: Overview,
    record: Record,
    at: Standing,
    reading: Reading | None,
    passed: set[str],
) -> Reading | Kernel | QuizLeft | None:
    """What the learner worked on last of what is begun and not done."""
    activity = record.activity
    begun: list[tuple[str, Reading | Kernel | int]] = []
    if reading is not None and reading.begun:
        begun.append((activity.last_read().get(reading.day.day, ""), reading))
    worked = activity.worked_on()
    aside = find_set_aside(overview, record)
    for exercise in overview.exercises:
        if exercise.slug in worked and exercise.slug not in passed | aside:
            begun.append((worked[exercise.slug], Kernel(exercise.slug, exercise.day)))
    quizzes = activity.last_quizzed()
    for day in overview.days:
        answered = at.progress[day.day].questions_answered if day.day in at.progress else 0
        if day.day in quizzes and answered < day.questions:
            begun.append((quizzes[day.day], day.day))
    for _, place in sorted(begun, key=lambda pair: pair[0], reverse=True):
        if isinstance(place, Reading):
            return place
        if isinstance(place, Kernel):
            return _kernel(overview, record, place.slug)
        if left := next(_quiz_left(course, record, place), None):
            return left
    return None


def _quiz_left(course: Course, record: Record, day: int) -> Iterator[QuizLeft]:
    """Yield where a begun quiz stopped, unless it is done or its file is faulty."""
    from tutor.memory.quiz_session import is_finished, open_session

    try:
        quiz = course.quiz(day)
    except UsageError:
        return
    if quiz and not is_finished(record, quiz.questions):
        count = len(quiz.questions)
        yield QuizLeft(day, len(open_session(quiz.questions, record).results) + 1, count)


def _review(record: Record, overview: Overview, today: date) -> Review:
    """The cards that a review asks today, within the learner's limits."""
    queue = record.reviews.queue(today)
    cards = Counter(card.id.kind for card in queue)
    kernels = tuple(card.id.key for card in queue if card.id.kind == "exercise")
    minutes = {e.slug: e.minutes for e in overview.exercises}
    seconds = cards["question"] * SECONDS_A_QUESTION + cards["term"] * SECONDS_A_TERM
    whole = seconds / 60 + sum(minutes.get(slug, 15) for slug in kernels)
    return Review(cards["question"], kernels, whole, cards["term"])


def find_reading(days: Sequence[DayOverview], at: Standing, record: Record) -> Reading | None:
    """The begun day that was read last, else the first unread day after the furthest read one.
    A day is begun once a page of it was read, a cell run or a prediction answered; one of which no more
    than a page was read does not displace another that was begun.

    Days that the placement skipped are left out. A checkpoint whose day before is not written comes
    after all lessons.
    """
    written = [day for day in days if day.written and day.day not in at.placed]
    read = {number: p.sections_read for number, p in at.progress.items()}
    tried = record.activity.days_tried()
    begun = [
        d
        for d in written
        if (read.get(d.day) or d.day in tried) and read.get(d.day, 0) < len(d.sections)
    ]
    fresh = [d for d in written if not read.get(d.day) and d.day not in tried]
    furthest = max((number for number, count in read.items() if count), default=0)
    ready = without_early_checkpoints(days, fresh)
    ahead = [d for d in ready if d.day > furthest]
    if len(begun) > 1:
        last = record.activity.last_read()
        begun.sort(
            key=lambda d: (read.get(d.day, 0) > 1 or d.day in tried, last.get(d.day, ""), d.day)
        )
    candidates = begun[-1:] or ahead[:1] or ready[:1] or fresh[:1]
    if not candidates:
        return None
    day = candidates[0]
    section = record.activity.place_to_go_on(day.day, day.sitting_ends)
    sitting = day.sitting_of(section) - 1
    first = day.sitting_ends[sitting - 1] + 1 if sitting else 0
    pages = range(first, day.sitting_ends[sitting] + 1)
    of = day.sitting_minutes[sitting]
    unread = set(pages) - record.activity.read_sections(day.day)
    parts = day.section_minutes
    whole = sum(parts[page] for page in pages) or 1
    minutes = max(1, round(of * sum(parts[page] for page in unread) / whole))
    begun_before = section > 0 or bool(read.get(day.day)) or day.day in tried
    before = max((n for n in read if n < day.day), default=0)
    skips = list_unwritten_between(days, before, day.day)
    return Reading(day, section, minutes, of, begun_before, skips)


def _kernel(overview: Overview, record: Record, slug: str) -> Kernel:
    """An exercise with its last verdict, if there is one."""
    day = next(e.day for e in overview.exercises if e.slug == slug)
    attempts = record.activity.attempts(slug)
    if attempts:
        return Kernel(slug, day, attempts[0].verdict, attempts[0].at, begun=True)
    return Kernel(slug, day, begun=slug in record.activity.worked_on())
