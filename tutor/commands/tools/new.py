"""`tutor new`: the first files of a day, a quiz or an exercise, for authors."""

import os
import shlex
from pathlib import Path

import click

from tutor.authoring import scaffold
from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.course.catalog.course import Course, open_course

_course = click.option(
    "--course",
    "folder",
    type=click.Path(path_type=Path),
    help="Another course's folder; it may be new.",
)
_title = click.option("--title", help="Default: what the course's outline calls it.")
_day = click.argument("day", type=click.IntRange(1, 999))


@click.group("new")
def new_command() -> None:
    """Write files that work as they stand, to be changed; never over a file that is there."""


@new_command.command("day")
@_day
@_title
@_course
def new_day(day: int, title: str | None, folder: Path | None) -> None:
    """A lesson for DAY, with a live cell and a prediction."""
    root = _root(folder)
    _say(scaffold.write_day(root, day, _choose_title(root, day, title)), root, str(day))


@new_command.command("quiz")
@_day
@_title
@_course
def new_quiz(day: int, title: str | None, folder: Path | None) -> None:
    """Two questions for DAY."""
    root = _root(folder)
    _say(scaffold.write_quiz(root, day, _choose_title(root, day, title)), root, "")


@new_command.command("exercise")
@click.argument("slug")
@_day
@_title
@_course
@click.option(
    "--kind",
    type=click.Choice(scaffold.list_kinds()),
    default="kernel",
    show_default=True,
    help="What the learner writes.",
)
@click.option("--of", metavar="SLUG", help="Of the kind cases: the exercise to break.")
def new_exercise(
    slug: str, day: int, title: str | None, folder: Path | None, kind: str, of: str | None
) -> None:
    """An exercise SLUG for DAY: task, starter, solution, reference, wrong answers."""
    root = _root(folder)
    named = title or slug.replace("_", " ").capitalize()
    broken = open_course(root).exercise(of) if of else None
    _say(scaffold.write_exercise(root, slug, day, named, kind, broken), root, slug)


def _root(folder: Path | None) -> Path:
    """Return the course to write into: `folder`, else the one in use, which may be new too."""
    named = os.environ.get(paths.COURSE)
    root = folder or (Path(named).expanduser() if named else paths.course_root())
    if folder is None and root.name == "_course":
        raise UsageError(
            "this course came with the program and would be overwritten by the next one: "
            "write into a folder of your own with --course FOLDER"
        )
    return root


def _choose_title(root: Path, day: int, title: str | None) -> str:
    """Return `title`, or the outline's title. Raises `UsageError` if there is neither."""
    known: dict[int, str] = {}
    if (root / "lessons" / "outline.toml").exists():
        course: Course = open_course(root)
        known = {day.day: day.title for day in course.days}
        if day not in known:
            raise UsageError(f"lessons/outline.toml has no day {day}: add a [[day]] for it first")
    if title or day in known:
        return title or known[day]
    raise UsageError("name the day: --title TEXT")


def _say(files: list[Path], root: Path, only: str) -> None:
    for file in files:
        click.echo(str(file))
    ours = not os.environ.get(paths.COURSE) and root == paths.course_root()
    other = "" if ours else f" --course {shlex.quote(str(root))}"
    chosen = f" --only {only}" if only else ""
    click.echo(
        f"`tutor content check{other}{chosen}` proves them; --watch does at each save.", err=True
    )
