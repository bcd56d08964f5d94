"""The exercise to go on with, for every screen and command that proposes one. Only reads."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from tutor.course.catalog.day_exercises import exercises_of
from tutor.memory.placement import read_placed_days
from tutor.memory.project_choice import find_set_aside

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course
    from tutor.memory.record import Record


def find_next_exercise(
    course: "Course", record: "Record", day: int, also_right: Collection[str] = ()
) -> str | None:
    """Return the slug of the next exercise for a learner who is at `day`; None once all are right.

    Of those that are not right yet: one of that day, else one that was begun, else one of a day that
    was begun or skipped, else the first after that day, else the first. Of several that were begun,
    the newest. `also_right`: exercises to leave out, right ones that are not stored yet. Milestones of
    projects that were not chosen are never next.
    """
    passed = record.activity.passed_exercises().union(also_right)
    worked = record.activity.worked_on()
    overview = course.overview()
    aside = find_set_aside(overview, record)
    still_open = [e for e in overview.exercises if e.slug not in passed | aside]
    of_day = [slug for slug in exercises_of(course, day, aside) if slug not in passed]
    begun = [slug for slug in of_day or (e.slug for e in still_open) if slug in worked]
    if begun:
        return max(begun, key=lambda slug: worked[slug])
    if of_day:
        return of_day[0]
    met = record.statistics.day_progress().keys() | read_placed_days(record)
    others = (
        [e for e in still_open if e.day in met]
        or [e for e in still_open if e.day > day]
        or still_open
    )
    return others[0].slug if others else None
