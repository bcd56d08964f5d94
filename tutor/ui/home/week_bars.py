"""Bars of the minutes worked on each of the last seven days. Pure."""

from collections.abc import Sequence
from datetime import date, timedelta

from textual.content import Content

from tutor.base.number_text import plural
from tutor.memory.statistics.progress import count_streak
from tutor.ui.kit.text.phrases import BARS, format_minutes, heights

_COLUMN = 4
_LEAST = 15.0  # minutes of a full bar, unless a day had more
_GOAL = 10  # squares


def draw_week(
    minutes: Sequence[float],
    today: date,
    learnt: Sequence[date],
    rows: int = 1,
    aim: int = 0,
    narrow: bool = False,
) -> Content:
    """Bars of the minutes of each day up to `today` with the names of the days.

    The bars are in one line or `rows` lines high. The total follows, and on a separate line today's
    share of the aim and the days in a row. `learnt`: all study days with work; `aim`: the minutes that
    the learner plans for each day, 0 for none; `narrow`: the number of all days is left out.

    Days without work are shown like the others, without a comment.
    """
    days = [today - timedelta(days=back) for back in reversed(range(len(minutes)))]
    here = sum(day in days for day in learnt)
    total = f"{format_minutes(sum(minutes))} on {plural(here, 'day')}"
    total += "" if narrow else f" · {plural(len(learnt), 'day')} in all"
    below = [_goal(minutes[-1], aim, count_streak(learnt, today))] if aim else []
    names = [f"{day:%a}"[:2] for day in days]
    eighths = heights(minutes, rows * 8, least=_LEAST)
    if rows == 1:
        bars = [
            part
            for day, name, height in zip(days, names, eighths, strict=True)
            for part in (
                (name, "bold" if day == today else "$foreground 70%"),
                (f"{BARS[height] if height else '·'} ", "$primary"),
            )
        ]
        return Content("\n").join([Content.assemble(*bars, " ", total), *below])
    lines = [
        Content.styled(
            "".join(BARS[min(max(h - row * 8, 0), 8)].ljust(_COLUMN) for h in eighths), "$primary"
        )
        for row in reversed(range(rows))
    ]
    named = Content.assemble(
        *(
            (name.ljust(_COLUMN), "bold" if day == today else "$foreground 70%")
            for day, name in zip(days, names, strict=True)
        ),
        f" {total}",
    )
    return Content("\n").join([*lines, named, *below])


def _goal(minutes: float, aim: int, streak: int) -> Content:
    """The minutes of today beside those that the learner plans, and the days in a row."""
    whole = round(minutes)  # the squares agree with the number beside them
    filled = min(_GOAL * whole // aim, _GOAL)
    done = whole >= aim
    return Content.assemble(
        ("■" * filled, "$success" if done else "$primary"),
        ("□" * (_GOAL - filled), "dim"),
        f"  today {whole} of {aim} min" + (" ✓" if done else ""),
        f" · {streak} days in a row" if streak > 1 else "",
    )
