"""Reads `lessons/outline.toml`: the days, the names of phases and weeks."""

from dataclasses import dataclass
from pathlib import Path

from tutor.course.model import DAY_KINDS, Day
from tutor.course.reading.faults import format_value
from tutor.course.reading.toml_table import Table, read_table


@dataclass(frozen=True)
class Outline:
    """`days` in the order of their numbers."""

    days: tuple[Day, ...]
    phases: dict[int, str]
    weeks: dict[int, str]


def read_outline(path: Path) -> Outline:
    """The outline of a course. Raises `CourseFault` with all mistakes of the file."""
    file = read_table(path)
    phases = _names(file, "phase")
    weeks = _names(file, "week")
    days = tuple(_day(table, phases, weeks) for table in file.tables("day", least=1))
    _ascending(file, days)
    file.finish("an outline")
    file.raise_faults()
    return Outline(days, phases, weeks)


def _names(file: Table, key: str) -> dict[int, str]:
    names: dict[int, str] = {}
    for table in file.tables(key, least=1):
        number = table.integer("number", 1)
        if number in names:
            table.fault("number", f"each {key} once", f"{number} again")
        names[number] = table.text("name")
        table.finish(f"a {key}")
    return names


def _day(table: Table, phases: dict[int, str], weeks: dict[int, str]) -> Day:
    day = Day(
        day=table.integer("day", 1),
        title=table.text("title"),
        phase=table.integer("phase", 1),
        week=table.integer("week", 1),
        kind=table.one_of("kind", DAY_KINDS),
        goal=table.text("goal", default=""),
    )
    for key, number, names in (("phase", day.phase, phases), ("week", day.week, weeks)):
        if names and number not in names:
            table.fault(key, f"a number named in [[{key}]]", format_value(number))
    table.finish("a day")
    return day


def _ascending(file: Table, days: tuple[Day, ...]) -> None:
    last = 0
    for table, day in zip(file.tables("day"), days, strict=False):
        if day.day <= last:
            table.fault(
                "day", f"a number above {last} (each day once, in order)", format_value(day.day)
            )
        last = max(last, day.day)
