"""Marks for the state of a day of the course: a sign, its colour and its words. Pure."""

from collections.abc import Iterator
from itertools import groupby

from textual.content import Content

from tutor.base.number_text import plural
from tutor.course.catalog.overview import DayOverview, Overview
from tutor.memory.placement import Standing
from tutor.ui.kit.text.phrases import ROMAN
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.press import opens

# The least known share of a day, its mark and its colour, best first. Reviews aim at 0.9
# (memory/store/settings.py, desired_retention).
_KNOWN = (
    (0.9, "●", "$success"),
    (0.8, "◕", "$primary"),
    (0.7, "◑", "$warning"),
    (0.0, "◔", "$error"),
)

LEGEND = Content.assemble(
    ("· to come  □ unread  ▣ begun  ■ read  ◇ placed  known ", "$foreground 70%"),
    *(
        part
        for least, mark, style in reversed(_KNOWN)
        for part in (
            (mark, style),
            (f"{least * 100:.0f} " if least else f"<{_KNOWN[-2][0] * 100:.0f} ", "$foreground 70%"),
        )
    ),
    ("%", "$foreground 70%"),
)


def day_state(day: DayOverview, at: Standing) -> tuple[str, str, str]:
    """A day's mark, the mark's style, and its words.

    A day that is read to its end shows the share of its cards that the learner knows, once one of them
    was asked on a later day; until then, how many answers of its quiz were right.
    """
    if not day.written:
        return "·", "$foreground 70%", "to come"
    read = at.progress[day.day].sections_read if day.day in at.progress else 0
    known = at.known.get(day.day)
    if read >= len(day.sections):
        if known is None:
            return "■", "$primary", f"read{_format_answered(at, day.day)}"
        mark, style = next((mark, style) for least, mark, style in _KNOWN if known >= least)
        return mark, style, f"read, {known:.0%} known"
    if read:
        return "▣", "$primary", f"{read} of {len(day.sections)} read"
    if day.day in at.placed:
        return "◇", "$secondary", "placed"
    if day.day in at.progress and at.progress[day.day].questions_answered:
        return "▣", "$primary", f"begun{_format_answered(at, day.day)}"
    sittings = len(day.sitting_ends)
    words = f"{sittings} sittings" if sittings > 1 else f"{day.minutes} min"
    return "□", "$primary", words


def _format_answered(at: Standing, day: int) -> str:
    progress = at.progress[day]
    if not progress.questions_answered:
        return ""
    return f", {progress.questions_right} of {progress.questions_answered} right"


def is_read(day: DayOverview, at: Standing) -> bool:
    """Return True if the day is read to its end."""
    return day.day in at.progress and at.progress[day.day].sections_read >= len(day.sections) > 0


def phase_map(
    overview: Overview, at: Standing, *, by_week: bool = False, marks: bool = True
) -> Content:
    """A row for each phase: a mark for each day, the number of days read, and the share known.

    A phase of which nothing is written has no marks. With `by_week` each other phase has one row for
    each week below it; without `marks` a row has none of them, for a narrow window.
    """
    names = list(overview.phases.values())
    width = max(map(len, names + (list(overview.weeks.values()) if by_week else [])), default=0)
    phases = []
    for number, name in overview.phases.items():
        days = [day for day in overview.days if day.phase == number]
        phases.append((number, name, days, [list(g) for _, g in groupby(days, lambda d: d.week)]))
    in_row = marks and not by_week
    shown = [(days, weeks) for *_, days, weeks in phases if in_row and _any_written(days)]
    widest = max((len(days) + len(weeks) - 1 for days, weeks in shown), default=-2)
    rows = []
    for number, name, days, weeks in phases:
        written = _any_written(days)
        row = Content(" ").join(_marks(week, at) for week in weeks if in_row and written)
        rows.append(
            Content.assemble(
                (f"{ROMAN.get(number, number)!s:<4}", "$foreground 70%"),
                (f"{name:<{width}}  ", "bold" if by_week else ""),
                row.pad_right(widest - row.cell_length + 2),
                (_format_known(days, at), "$foreground 70%"),
            )
        )
        for week in weeks if by_week and written else ():
            name = overview.weeks.get(week[0].week, "")
            rows.append(Content.assemble(f"{'':4}{name:<{width}}  ", _marks(week, at)))
    return Content("\n").join(rows)


def day_rows(overview: Overview, at: Standing) -> Iterator[tuple[int, Content]]:
    """The days by phase, each with its mark, title and words, as (day, row); a click opens the day.

    Days to come that follow each other share a row. A row that names no single day has the day 0.
    """
    for phase, name in overview.phases.items():
        yield (
            0,
            Content.styled(
                f"Phase {ROMAN.get(phase, phase)} · {make_visible(name)}", "bold $accent"
            ),
        )
        days = [day for day in overview.days if day.phase == phase]
        for written, group in groupby(days, lambda day: day.written):
            if not written:
                count = plural(len(list(group)), "day")
                yield 0, Content.styled(f"·      {count} to come", "$foreground 70%")
                continue
            for day in group:
                mark, style, words = day_state(day, at)
                row = Content.assemble(
                    (mark, style),
                    f" {day.day:>3}  {make_visible(day.title)}  ",
                    (words, "$foreground 70%"),
                )
                yield day.day, opens(row, f"lesson:{day.day}")


def _marks(days: list[DayOverview], at: Standing) -> Content:
    return Content.assemble(*(day_state(day, at)[:2] for day in days))


def _any_written(days: list[DayOverview]) -> bool:
    return any(day.written for day in days)


def _format_known(days: list[DayOverview], at: Standing) -> str:
    """The number of read days of a phase and the mean known share of these days."""
    if not _any_written(days):
        return f"{len(days)} to come"
    read = [day.day for day in days if is_read(day, at)]
    shares = [at.known.get(day, 0.0) for day in read]
    share = f"  {sum(shares) / len(read):.0%}" if at.known.keys() & set(read) else ""
    return f"{len(read)}/{len(days)}{share}"
