"""A check of a day's minutes: its pages and its exercises must fit into them."""

import math
from collections.abc import Iterator

from tutor.course.catalog.course import Course
from tutor.course.model import Exercise, Lesson, Prose
from tutor.course.reading.faults import CourseFault, Fault

WORDS_A_MINUTE = 150  # of a text that is worked through
MINUTES_A_BLOCK = 1  # to run a cell and read what it printed, or to answer a prediction


def minutes_warnings(course: Course) -> tuple[Fault, ...]:
    """Find lessons whose minutes are fewer than their parts take. A faulty file has none here."""
    try:
        exercises = tuple(course.exercises().values())
    except CourseFault:
        return ()
    return tuple(_warnings(course, exercises))


def reading_minutes(lesson: Lesson) -> int:
    """Estimate how long the pages take."""
    words = 0
    blocks = [block for section in lesson.sections for block in section.blocks]
    fenced = False
    for block in blocks:
        for row in block.text.splitlines() if isinstance(block, Prose) else ():
            fence = row.startswith("```")
            words += 0 if fenced or fence else len(row.split())
            fenced ^= fence
    tried = sum(not isinstance(block, Prose) for block in blocks)
    return math.ceil(words / WORDS_A_MINUTE + tried * MINUTES_A_BLOCK)


def _warnings(course: Course, exercises: tuple[Exercise, ...]) -> Iterator[Fault]:
    for lesson in course.sound_lessons():
        pages = reading_minutes(lesson)
        written = sum(e.minutes for e in exercises if e.day == lesson.day)
        if lesson.minutes < pages + written:
            expected = (
                f"at least {pages + written}: {pages} for the pages, {written} for the exercises"
            )
            yield Fault(lesson.path, 1, "minutes", expected, str(lesson.minutes))
