"""Which of a course's projects the learner has chosen, and the exercises that do not count for it.

The choice is a setting of the record and may be changed at any time. Until one is made, the project
counts on whose milestones the learner worked last; before that, the first one of its day.
"""

from typing import TYPE_CHECKING

from tutor.base.errors import UsageError
from tutor.course.catalog.day_exercises import exercises_of, milestones_of, projects_of

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course
    from tutor.course.catalog.overview import Overview, ProjectOverview
    from tutor.memory.record import Record


def find_project(overview: "Overview", record: "Record", day: int) -> "ProjectOverview | None":
    """Return the project that counts on a day; None where the day has none to choose from."""
    offered = projects_of(overview, day)
    return next((each for each in find_counting(overview, record) if each in offered), None)


def is_chosen(overview: "Overview", record: "Record", project: "ProjectOverview") -> bool:
    """Return True if the learner has chosen this project, or it is the only one; False if it counts
    without that."""
    alone = sum(each.day == project.day for each in overview.projects) == 1
    return alone or project.name in record.settings.get("projects")


def offer_projects(overview: "Overview", day: int) -> "tuple[ProjectOverview, ...]":
    """Return the projects among which the learner of a day chooses. Raises `UsageError` for a day
    without any."""
    offered = projects_of(overview, day)
    if not offered:
        days = sorted({each.day for each in overview.projects})
        listed = ", ".join(f"Day {each}" for each in days) or "no day"
        raise UsageError(f"Day {day} has no projects to choose from: {listed} has")
    return offered


def choose_project(
    overview: "Overview", record: "Record", day: int, name: str
) -> "ProjectOverview":
    """Keep that a project of a day counts from now on. Raises `UsageError` for a day without projects
    and for a name that none has."""
    offered = offer_projects(overview, day)
    found = next((each for each in offered if each.name == name), None)
    if found is None:
        names = ", ".join(each.name for each in offered)
        raise UsageError(f"Day {day} has no project {name[:40]!r}: there are {names}")
    others = {each.name for each in offered if each.day == found.day}
    kept = [each for each in record.settings.get("projects") if each not in others]
    record.settings.set("projects", [*kept, name])
    return found


def find_set_aside(overview: "Overview", record: "Record | None") -> frozenset[str]:
    """Return the slugs of milestones that count for no day: those of projects that were not chosen."""
    if not overview.projects:
        return frozenset()
    counting = find_counting(overview, record)
    left = {
        slug
        for each in overview.projects
        if each not in counting
        for slug in milestones_of(overview, each.name)
    }
    return frozenset(left).difference(
        slug for each in counting for slug in milestones_of(overview, each.name)
    )


def exercises_to_do(course: "Course", record: "Record", day: int) -> list[str]:
    """Return the slugs of the exercises that count for a day, in its order."""
    return exercises_of(course, day, find_set_aside(course.overview(), record))


def find_counting(overview: "Overview", record: "Record | None") -> "list[ProjectOverview]":
    """Return the project that counts for each day that offers some: without a record the first."""
    groups: dict[int, list[ProjectOverview]] = {}
    for each in overview.projects:
        groups.setdefault(each.day, []).append(each)
    chosen = record.settings.get("projects") if groups and record else ()
    worked = record.activity.worked_on() if groups and record else {}

    def rank(project: "ProjectOverview") -> tuple[bool, str]:
        slugs = milestones_of(overview, project.name)
        return project.name in chosen, max((worked.get(slug, "") for slug in slugs), default="")

    return [max(offered, key=rank) for offered in groups.values()]
