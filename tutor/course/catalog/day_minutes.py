"""How long the parts of a day take: its pages, exercises and quiz, and the sittings of a long day.

The author's minutes of a day are what the learner is told; they are shared out among its sittings as
their parts take. An exercise belongs to the section that first names it ("Now write it: exercise `x`"),
the quiz to the end.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from tutor.course.model import Exercise, Lesson, Prose, Quiz, Section

WORDS_A_MINUTE = 150  # of a text that is worked through
MINUTES_A_BLOCK = 1  # to run a cell and read what it printed, or to answer a prediction or drill
MINUTES_A_QUESTION = 1  # of a quiz, with the explanation
_ROUNDED = 5  # minutes


class Sitting(NamedTuple):
    """A learner reads it without a long rest: sections `first` to `last`, counted from 0."""

    first: int
    last: int
    minutes: int


def pages_minutes(lesson: Lesson) -> int:
    """Estimate how long the pages of a lesson take."""
    return math.ceil(sum(map(_pages, lesson.sections)))


def quiz_minutes(quiz: Quiz | None) -> int:
    """Estimate how long a quiz takes, with what follows the questions of a checkpoint."""
    if quiz is None:
        return 0
    asked = len(quiz.questions) + len(quiz.misconceptions)
    return asked * MINUTES_A_QUESTION + (quiz.reflection.minutes if quiz.reflection else 0)


def one_project(lesson: Lesson, exercises: Iterable[Exercise]) -> list[Exercise]:
    """Leave out the milestones of all projects of a day but the one that takes the longest: a learner
    does one of them."""
    exercises = list(exercises)
    names = {each.exercise: each.project for each in lesson.milestones if each.project}
    minutes: Counter[str] = Counter()
    for exercise in exercises:
        if exercise.slug in names:
            minutes[names[exercise.slug]] += exercise.minutes
    longest = max(minutes, key=lambda name: minutes[name], default="")
    return [each for each in exercises if names.get(each.slug, longest) == longest]


def parts_minutes(
    lesson: Lesson, quiz: Quiz | None, exercises: Iterable[Exercise]
) -> tuple[float, ...]:
    """Estimate the minutes of each section with the exercises that it is the first to name; the last
    one has the quiz, and exercises that no section names."""
    parts = [_pages(section) for section in lesson.sections]
    for exercise in exercises:
        name = re.compile(rf"exercise\s`{re.escape(exercise.slug)}`")
        naming = (n for n, section in enumerate(lesson.sections) if name.search(_prose(section)))
        parts[next(naming, -1)] += exercise.minutes
    parts[-1] += quiz_minutes(quiz)
    return tuple(parts)


def plan_sittings(
    lesson: Lesson, quiz: Quiz | None, exercises: Iterable[Exercise]
) -> tuple[Sitting, ...]:
    """Return the sittings of a day, whose minutes add up to its own. `exercises` are the day's."""
    sittings = [section.sitting for section in lesson.sections]
    parts = dict.fromkeys(sittings, 0.0)
    for sitting, minutes in zip(sittings, parts_minutes(lesson, quiz, exercises), strict=True):
        parts[sitting] += minutes
    whole = sum(parts.values()) or 1
    planned: list[Sitting] = []
    left = lesson.minutes
    for number, minutes in parts.items():
        share = _ROUNDED * round(lesson.minutes * minutes / whole / _ROUNDED)
        first = sittings.index(number)
        last = first + sittings.count(number) - 1
        planned.append(Sitting(first, last, left if last == len(sittings) - 1 else share))
        left -= share
    return tuple(planned)


def _pages(section: Section) -> float:
    words = 0
    fenced = False
    for row in _prose(section).splitlines():
        fence = row.startswith("```")
        words += 0 if fenced or fence else len(row.split())
        fenced ^= fence
    tried = sum(not isinstance(block, Prose) for block in section.blocks)
    return words / WORDS_A_MINUTE + tried * MINUTES_A_BLOCK


def _prose(section: Section) -> str:
    return "\n".join(block.text for block in section.blocks if isinstance(block, Prose))
