"""The exercises of a day, in the order in which the day has them."""

from contextlib import suppress

from tutor.base.errors import UsageError
from tutor.course.catalog.course import Course


def exercises_of(course: Course, day: int) -> list[str]:
    """The slugs of a day's exercises; of a project first its milestones, some of earlier days."""
    slugs = _milestones(course, day)
    return slugs + [
        e.slug for e in course.overview().exercises if e.day == day and e.slug not in slugs
    ]


def milestone_place(course: Course, day: int, slug: str) -> tuple[int, int] | None:
    """Return the number of an exercise among a project's milestones, and how many there are; None if it
    is none of them."""
    slugs = _milestones(course, day)
    return (slugs.index(slug) + 1, len(slugs)) if slug in slugs else None


def _milestones(course: Course, day: int) -> list[str]:
    if not any(
        outline.day == day and outline.kind == "project" for outline in course.overview().days
    ):
        return []  # no lesson needs to be read
    with suppress(UsageError):  # a faulty lesson
        lesson = course.lesson(day)
        return [milestone.exercise for milestone in lesson.milestones] if lesson else []
    return []
