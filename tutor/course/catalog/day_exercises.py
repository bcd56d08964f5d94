"""The exercises of a day, in the order in which the day has them, and the projects to choose from."""

from collections.abc import Collection

from tutor.course.catalog.course import Course
from tutor.course.catalog.overview import DayOverview, Overview, ProjectOverview


def exercises_of(course: Course, day: int, aside: Collection[str] = ()) -> list[str]:
    """The slugs of a day's exercises; of a project first its milestones, some of earlier days. `aside`:
    those to leave out, milestones of projects that the learner has not chosen."""
    overview = course.overview()
    slugs = [slug for slug, _ in _milestones(overview, day)]
    every = slugs + [e.slug for e in overview.exercises if e.day == day and e.slug not in slugs]
    return [slug for slug in every if slug not in aside]


def milestone_place(course: Course, day: int, slug: str) -> tuple[int, int] | None:
    """Return the number of an exercise among a project's milestones, and how many there are; None if it
    is none of them."""
    milestones = dict(_milestones(course.overview(), day))
    if slug not in milestones:
        return None
    names = {"", milestones[slug]} if milestones[slug] else set(milestones.values())
    slugs = [each for each, name in milestones.items() if name in names]
    return slugs.index(slug) + 1, len(slugs)


def projects_of(overview: Overview, day: int) -> tuple[ProjectOverview, ...]:
    """Return the projects among which the learner of a day chooses: those that it offers, and those of
    which it has milestones, with all that are offered beside them. None of most days."""
    named = {name for _, name in _milestones(overview, day)}
    offering = {each.day for each in overview.projects if each.name in named or each.day == day}
    return tuple(each for each in overview.projects if each.day in offering)


def milestones_of(overview: Overview, name: str) -> list[str]:
    """Return the slugs of a project's milestones on all days, in the order of the days."""
    every = (row for day in overview.days for row in day.milestones)
    return list(dict.fromkeys(slug for slug, project in every if project == name))


def _milestones(overview: Overview, day: int) -> tuple[tuple[str, str], ...]:
    found: DayOverview | None = next((each for each in overview.days if each.day == day), None)
    return found.milestones if found and found.kind == "project" else ()
