"""Shell completions of arguments; see `tutor completion`."""

from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from tutor.base.errors import UsageError

if TYPE_CHECKING:
    from tutor.course.catalog.overview import Overview


def slugs(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Exercises, each with its title."""
    known = _overview()
    exercises = known.exercises if known else ()
    return [
        CompletionItem(e.slug, help=e.title) for e in exercises if e.slug.startswith(incomplete)
    ]


def days(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Days that can be opened, each with its title."""
    known = _overview()
    written = [d for d in known.days if d.written] if known else []
    return [
        CompletionItem(str(d.day), help=d.title)
        for d in written
        if str(d.day).startswith(incomplete)
    ]


def _overview() -> "Overview | None":
    """Return the overview; None if the course cannot be read, because completion cannot report it."""
    from tutor.course.catalog.course import (
        open_course,  # not at the top: `tutor due` does without the course
    )

    try:
        return open_course().overview()
    except UsageError:
        return None
