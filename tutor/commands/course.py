"""`tutor list` and `tutor lesson`: the course in a pipe."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from tutor.base.day_text import format_day_ranges
from tutor.base.errors import UsageError
from tutor.base.terminal import is_terminal
from tutor.base.terminal_text import escape_controls
from tutor.commands.support.cold_start import cold_option
from tutor.commands.support.completion import days
from tutor.commands.support.console import keep_together, say_fitted
from tutor.commands.support.runner_option import runner_option
from tutor.course.catalog.course import Course, open_course
from tutor.course.catalog.overview import DayOverview, Overview

if TYPE_CHECKING:
    from tutor.base.runner_table import Runner
    from tutor.course.model import Lesson

_ROMAN = {1: "I", 2: "II", 3: "III", 4: "IV", 5: "V"}


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON value instead of a table.")
def list_command(as_json: bool) -> None:
    """Every day and every exercise."""
    overview = open_course().overview()
    projects, aside = _read_choice(overview)
    if as_json:
        click.echo(json.dumps(_as_json(overview, projects), ensure_ascii=False))
    else:
        say_fitted(_table(overview, projects, aside))
    if overview.faults:  # on stderr: `--json` prints nothing else on stdout
        more = len(overview.faults) - 1
        rest = f" ({more} more files have mistakes)" if more else ""
        click.echo(f"tutor: left out: {overview.faults[0]}{rest}", err=True)


def _read_choice(overview: Overview) -> tuple[dict[str, bool], frozenset[str]]:
    """Return the projects to choose from by name, whether each counts, and the milestones that do not.
    The record is opened only where there are projects, and not begun where there is none."""
    if not overview.projects:
        return {}, frozenset()
    from tutor.base import paths
    from tutor.memory.project_choice import find_counting, find_set_aside

    with ExitStack() as stack:
        record = None
        if paths.record_file().exists():
            from tutor.commands.support.open_record import use_record

            record = stack.enter_context(use_record(to_read=True))
        names = {each.name for each in find_counting(overview, record)}
        aside = find_set_aside(overview, record)
    return {each.name: each.name in names for each in overview.projects}, aside


def _as_json(overview: Overview, projects: dict[str, bool]) -> dict[str, object]:
    listed = [
        {"name": each.name, "title": each.title, "day": each.day, "counts": projects[each.name]}
        for each in overview.projects
    ]
    return {
        **({"projects": listed} if listed else {}),
        "days": [
            {
                "day": day.day,
                "title": day.title,
                "phase": day.phase,
                "week": day.week,
                "kind": day.kind,
                "minutes": day.minutes,
                "sittings": list(day.sitting_minutes),
                "sections": len(day.sections),
                "cells": day.cells,
                "questions": day.questions,
                "exercises": list(day.exercises),
            }
            for day in overview.days
        ],
        "exercises": [
            {"slug": e.slug, "title": e.title, "day": e.day, "kind": e.kind, "needs": list(e.needs)}
            for e in overview.exercises
        ],
    }


def _table(overview: Overview, projects: dict[str, bool], aside: frozenset[str]) -> Iterator[str]:
    """Yield the days by phase. The word `ready` marks a written day, so no colour is needed."""
    width = max((len(day.title) for day in overview.days), default=0)
    for phase, name in overview.phases.items():
        days = [day for day in overview.days if day.phase == phase]
        ready = sum(day.written for day in days)
        yield f"Phase {_ROMAN.get(phase, phase)}  {name}  ({ready} of {len(days)} days ready)"
        for day in days:
            state = "ready" if day.written else "to come"
            yield f"  {day.day:>3}  {day.title:<{width}}  {state:<7}  {_details(day, aside)}".rstrip()
        yield ""
    for project in overview.projects:
        state = "counts" if projects[project.name] else "open"
        yield f"Project  Day {project.day}  {project.name}  {state}  {project.title}"
    if overview.projects:
        yield ""
    yield f"Exercises  ({len(overview.exercises)})"
    slugs = max((len(e.slug) for e in overview.exercises), default=0)
    for e in overview.exercises:
        if e.slug not in aside:
            yield f"  {e.slug:<{slugs}}  Day {e.day:>2}  {e.title}"
    if aside:
        yield "Of projects that you have not chosen (tutor project DAY NAME chooses one)"
    for e in overview.exercises:
        if e.slug in aside:
            yield f"  {e.slug:<{slugs}}  Day {e.day:>2}  {e.title}"


def _details(day: DayOverview, aside: frozenset[str]) -> str:
    parts = [day.kind] if day.kind != "lesson" else []
    if day.written:
        sittings = len(day.sitting_ends)
        shared = f" in {sittings} sittings" if sittings > 1 else ""
        parts.append(f"{day.minutes} min{shared}")
    if day.cells:
        parts.append(_count(day.cells, "cell"))
    if day.questions:
        parts.append(_count(day.questions, "question"))
    if exercises := [slug for slug in day.exercises if slug not in aside]:
        parts.append(_count(len(exercises), "exercise"))
    return ", ".join(map(keep_together, parts))  # a line breaks at a comma


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@click.command("lesson")
@click.argument("day", type=int, shell_complete=days)
@click.option("--plain", is_flag=True, help="No pager, even on a terminal.")
@click.option(
    "--ask",
    is_flag=True,
    help="Section by section: run its cells, ask its predictions, keep what was read.",
)
@click.option("--section", type=click.IntRange(min=1), help="With --ask: begin at this one.")
@click.option(
    "--again",
    is_flag=True,
    help="With --ask: ask settled predictions once more; your first answers stay.",
)
@runner_option
@cold_option
def lesson_command(
    day: int,
    plain: bool,
    ask: bool,
    section: int | None,
    again: bool,
    runner: "Runner | None",
    cold: bool,
) -> int:
    """A day's lesson as plain text, for pipes and screen readers."""
    course = open_course()
    lesson = course.lesson(day)
    if lesson is None:
        raise UsageError(_no_lesson(course, day))
    if ask:
        return _ask(course, lesson, section, again, runner, cold)
    if section is not None or again:
        options = "--again" if section is None else f"--section {section}"
        raise UsageError(f"{options.split()[0]} needs --ask: tutor lesson {day} --ask {options}")
    from tutor.course.catalog.plain_text import lesson_text  # brings Markdown along
    from tutor.course.catalog.unwritten_days import explain_unwritten_day, find_absent_days
    from tutor.memory.question_choice import lesson_to_ask

    of = next(outline for outline in course.days if outline.day == day)
    place = f"{course.phases[of.phase]}, week {of.week}, day {day} of {len(course.days)}."
    named = tuple(
        explain_unwritten_day(course, other) for other in find_absent_days(course, lesson)
    )
    text = lesson_text(lesson_to_ask(lesson), named, place)
    if plain or not is_terminal(sys.stdout):
        click.echo(text, nl=False)
    else:
        click.echo_via_pager(escape_controls(text))
    return 0


def _ask(
    course: Course,
    lesson: "Lesson",
    section: int | None,
    again: bool,
    runner: "Runner | None",
    cold: bool,
) -> int:
    from tutor.commands.plain.lesson import go_through
    from tutor.commands.support.open_record import use_record
    from tutor.judge.client import Judge

    count = len(lesson.sections)
    if section is not None and section > count:
        raise UsageError(f"no section {section}: Day {lesson.day} has {count}")
    with use_record() as record:
        day = next(day for day in course.overview().days if day.day == lesson.day)
        left = record.activity.place_to_go_on(lesson.day, day.sitting_ends)
        first = left if section is None else section - 1
        with Judge(course.root, cold=cold, runner=runner) as judge:
            return go_through(lesson, course, record, first, judge, again=again)


def _no_lesson(course: Course, day: int) -> str:
    """Explain in one line that a day has no lesson, what to read instead, and which days have one."""
    from tutor.course.catalog.unwritten_days import explain_unwritten_day

    days = course.overview().days
    written = format_day_ranges(d.day for d in days if d.written) or "none yet"
    if any(known.day == day for known in days):
        return f"{explain_unwritten_day(course, day)} Days with a lesson: {written}"
    first, last = days[0].day, days[-1].day
    return f"no day {day}: the course has days {first} to {last}; days with a lesson: {written}"
