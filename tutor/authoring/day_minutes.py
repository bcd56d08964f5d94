"""A check of a day's minutes: its pages, exercises and quiz must fit into them, and into sittings."""

from collections.abc import Iterator
from pathlib import Path

from tutor.course.catalog.course import Course
from tutor.course.catalog.day_minutes import (
    one_project,
    pages_minutes,
    plan_sittings,
    quiz_minutes,
)
from tutor.course.model import Exercise, Lesson, Quiz
from tutor.course.reading.faults import CourseFault, Fault

LONGEST_DAY = 150  # minutes of a day without sittings
LONGEST_SITTING = 120


def minutes_warnings(course: Course) -> tuple[Fault, ...]:
    """Find lessons whose minutes are fewer than their parts take, and long days without sittings, or
    with sittings that are too long. A faulty file has none here."""
    try:
        exercises = tuple(course.exercises().values())
        lessons = [(lesson, course.quiz(lesson.day)) for lesson in course.sound_lessons()]
    except CourseFault:
        return ()
    return tuple(
        fault
        for lesson, quiz in lessons
        for fault in _warnings(
            lesson, quiz, one_project(lesson, [e for e in exercises if e.day == lesson.day])
        )
    )


def _warnings(lesson: Lesson, quiz: Quiz | None, exercises: list[Exercise]) -> Iterator[Fault]:
    path: Path = lesson.path
    pages, written, asked = (
        pages_minutes(lesson),
        sum(e.minutes for e in exercises),
        quiz_minutes(quiz),
    )
    whole = pages + written + asked
    if lesson.minutes < whole:
        expected = (
            f"at least {whole}: {pages} for the pages, {written} for the exercises, "
            f"{asked} for the quiz"
        )
        yield Fault(path, 1, "minutes", expected, str(lesson.minutes))
    if lesson.minutes <= LONGEST_DAY:
        return
    for number, sitting in enumerate(plan_sittings(lesson, quiz, exercises), 1):
        if sitting.minutes > LONGEST_SITTING:
            line = lesson.sections[sitting.first].line
            expected = f"at most {LONGEST_SITTING} minutes a sitting of a day of {lesson.minutes}"
            yield Fault(path, line, "sitting", expected, f"{sitting.minutes} in sitting {number}")
