"""Days as text. Pure."""

from datetime import date


def format_day(day: date, today: date) -> str:
    """`20 January`, and `20 January 2038` if that is not this year."""
    return f"{day:%-d %B}" if day.year == today.year else f"{day:%-d %B %Y}"
