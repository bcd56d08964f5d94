"""The projects of a day, listed to choose one of them."""

from collections.abc import Callable
from functools import partial
from textwrap import wrap

from textual.content import Content

from tutor.course.catalog.day_exercises import milestones_of, projects_of
from tutor.memory import project_choice
from tutor.ui.kit.core.screen import TutorScreen, is_kept
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.text.safe_text import make_visible

_COLUMNS = 60  # of the reasons


def choose_project(screen: TutorScreen, day: int, changed: Callable[[], object]) -> None:
    """List the projects of a day with why one would choose each and what it needs; keep the chosen one
    and call `changed`."""
    course, record = screen.tutor.course, screen.tutor.record
    overview = course.overview()
    offered = projects_of(overview, day)
    if not offered:
        screen.say(f"Day {day} has no projects to choose from.")
        return
    counting = project_choice.find_project(overview, record, day)
    passed = record.activity.passed_exercises()

    def line(number: int) -> Content:
        project = offered[number]
        slugs = milestones_of(overview, project.name)
        done = f"{sum(slug in passed for slug in slugs)} of {len(slugs)} right"
        mark = ("● ", "$success") if project == counting else "○ "
        head = Content.assemble(
            mark, (make_visible(project.title), "bold"), (f"  {done}", "$foreground 70%")
        )
        text = make_visible(f"{project.why} Needs: {project.needs}")
        return Content("\n").join([head, *(Content(f"  {row}") for row in wrap(text, _COLUMNS))])

    def chosen(index: int | None) -> None:
        if index is None:
            return
        name = offered[index].name
        keep = partial(project_choice.choose_project, overview, record, day, name)
        if is_kept(screen, keep):
            screen.say(f"{offered[index].title} counts from now on. The other projects stay open.")
            changed()

    lines = [line(number) for number in range(len(offered))]
    first = offered.index(counting) if counting in offered else 0
    screen.app.push_screen(ChooseScreen("The project", lines, first, does="chooses"), chosen)
