"""The learner's day. It ends at 04:00 by the clock on the wall, unless set otherwise: an evening that
runs past midnight is one day, and so is a day on which the clock is put forward or back."""

import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, datetime, time, timedelta, timezone

from tutor.base.errors import UsageError

ROLLOVER = timedelta(hours=4)
IDLE = timedelta(minutes=5)  # a longer pause between two rows was not spent learning
_STARTED = datetime.now().astimezone()


def now() -> datetime:
    """The instant, in the machine's own time zone.

    `TUTOR_NOW` (ISO 8601 with a zone) says what it was when this process started; from there it goes
    on. Raises `UsageError` for one that is no such instant.
    """
    really = datetime.now().astimezone()
    if not (text := os.environ.get("TUTOR_NOW")):
        return really
    start: datetime | None = None
    with suppress(ValueError):
        start = datetime.fromisoformat(text)
    if start is None or start.tzinfo is None:
        raise UsageError(f"TUTOR_NOW must be like 2026-11-20T19:30+01:00, not {text[:40]!r}")
    return start + (really - _STARTED)


def study_day(moment: datetime, rollover: timedelta = ROLLOVER, zone: str = "") -> date:
    """The study day of a moment, by the wall clock of `zone` (an IANA name such as
    "Europe/Berlin"), or without one of the moment's own time zone.

    Raises `ValueError` or `zoneinfo.ZoneInfoNotFoundError` (a `KeyError`) for no such zone.
    """
    if zone:
        from zoneinfo import ZoneInfo  # most learners stay where their machine is

        moment = moment.astimezone(ZoneInfo(zone))
    return (moment.replace(tzinfo=None) - rollover).date()


def today() -> date:
    return study_day(now())


def noon_utc(day: date) -> datetime:
    """The instant that stands for a study day in the scheduler, which counts days of 24 hours.

    It insists on `timezone.utc`; two noons are whole days apart whatever the local clock did.
    """
    return datetime.combine(day, time(12), timezone.utc)


def minutes_covered(spans: Iterable[tuple[datetime, datetime]]) -> float:
    """Minutes covered by the spans, where a pause of up to `IDLE` between two counts as well."""
    total = timedelta()
    reached: datetime | None = None
    for start, end in sorted(spans):
        if reached is not None and start - reached <= IDLE:
            start, end = reached, max(end, reached)
        total += end - start
        reached = end
    return total.total_seconds() / 60
