"""The exercises of a day: opened, or listed to choose from."""

from contextlib import suppress

from textual.content import Content

from tutor.base.errors import UsageError
from tutor.course.catalog.course import Course
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.dialogs.choice import ChooseScreen


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


def choose_kernel(screen: TutorScreen, day: int) -> None:
    """Open the exercise of a day, or a list of several at the first that is not passed yet."""
    slugs = exercises_of(screen.tutor.course, day)
    if len(slugs) == 1:
        screen.tutor.open(f"exercise:{slugs[0]}/{day}")
        return
    if not slugs:
        screen.say(f"Day {day} has no exercise.")
        return

    def chosen(index: int | None) -> None:
        if index is not None:
            screen.tutor.open(f"exercise:{slugs[index]}/{day}")

    passed = screen.tutor.record.activity.passed_exercises()
    lines = [
        Content.assemble(("✓ ", "$success") if slug in passed else "□ ", slug) for slug in slugs
    ]
    first = next((i for i, slug in enumerate(slugs) if slug not in passed), 0)
    screen.app.push_screen(ChooseScreen("Exercises", lines, first), chosen)
