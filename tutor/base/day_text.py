"""Days as text. Pure."""

from collections.abc import Iterable
from datetime import date

from tutor.base.list_text import join_with_and


def format_day(day: date, today: date) -> str:
    """`20 January`, and `20 January 2038` if that is not this year."""
    return f"{day:%-d %B}" if day.year == today.year else f"{day:%-d %B %Y}"


def name_days(days: Iterable[int]) -> str:
    """Return `Day 50`, or `Days 50 to 56 and 58` of several course days in ascending order."""
    found = tuple(days)
    return f"Day{'s' * (len(found) > 1)} {join_with_and(format_day_ranges(found).split(', '))}"


def say_not_written(days: Iterable[int]) -> str:
    """Return `Days 50 to 56 are not written yet.` of course days in ascending order; "" of none."""
    found = tuple(days)
    if not found:
        return ""
    return f"{name_days(found)} {'is' if len(found) == 1 else 'are'} not written yet."


def format_day_ranges(days: Iterable[int]) -> str:
    """Return course days in ascending order as `1 to 7, 9, 10`: three or more in a row as a range."""
    rows: list[list[int]] = []
    for day in days:
        if rows and day == rows[-1][-1] + 1:
            rows[-1].append(day)
        else:
            rows.append([day])
    parts = [f"{row[0]} to {row[-1]}" if len(row) > 2 else ", ".join(map(str, row)) for row in rows]
    return ", ".join(parts)
