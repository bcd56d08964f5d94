"""The learner's day, which ends at 04:00 by local time unless set otherwise. An evening past midnight
belongs to one day, and so do the hours of a day on which the clock changes."""

import os
import time as clock
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, datetime, time, timedelta, timezone

from tutor.base.errors import UsageError

ROLLOVER = timedelta(hours=4)
IDLE = timedelta(minutes=5)  # a longer pause between two rows does not count as learning
FIRST_YEAR, LAST_YEAR = 1970, 2199  # of a row of the record; a wrong clock is seldom further off
_BEGAN = clock.time()


def now() -> datetime:
    """The instant, in the machine's own time zone.

    `TUTOR_NOW` (ISO 8601 with a zone) replaces the time at which this process started; time passes
    from there. Raises `UsageError` for an invalid value, zone or clock.
    """
    if not (text := os.environ.get("TUTOR_NOW")):
        return _within_years(_local_now(), "the machine's clock")
    start: datetime | None = None
    with suppress(ValueError):
        start = datetime.fromisoformat(text)
    if start is None or start.tzinfo is None:
        raise UsageError(f"TUTOR_NOW must be like 2026-11-20T19:30+01:00, not {text[:40]!r}")
    return _within_years(start, "TUTOR_NOW") + timedelta(seconds=clock.time() - _BEGAN)


def _local_now() -> datetime:
    try:
        return datetime.now().astimezone()
    except (ValueError, OverflowError):
        zone = os.environ.get("TZ", "")[:40]
        raise UsageError(
            f"TZ={zone!r} is no time zone; set it to one such as Europe/Berlin"
        ) from None


def _within_years(moment: datetime, whose: str) -> datetime:
    if FIRST_YEAR <= moment.year <= LAST_YEAR:
        return moment
    raise UsageError(
        f"{whose} says the year {moment.year}, and a record holds the years {FIRST_YEAR} to "
        f"{LAST_YEAR}: set it right"
    )


def study_day(moment: datetime, rollover: timedelta = ROLLOVER, zone: str = "") -> date:
    """Return the study day of a moment, by the local time of `zone` (an IANA name such as
    "Europe/Berlin"), or of the moment's own time zone if that is "".

    Raises `ValueError` or `zoneinfo.ZoneInfoNotFoundError` (a `KeyError`) for no such zone.
    """
    if zone:
        from zoneinfo import ZoneInfo  # most learners stay where their machine is

        moment = moment.astimezone(ZoneInfo(zone))
    return (moment.replace(tzinfo=None) - rollover).date()


def noon_utc(day: date) -> datetime:
    """Return the instant that represents a study day in the scheduler, which counts days of 24 hours.

    The scheduler requires `timezone.utc`. Two noons in UTC are always whole days apart.
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
