"""A clock that stands where a test puts it."""

from datetime import datetime, timedelta, timezone

CET = timezone(timedelta(hours=1))


class Clock:
    """Noon of the first day unless moved; `record = open_record(path, clock)`."""

    def __init__(self, start: datetime = datetime(2026, 11, 20, 12, tzinfo=CET)) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **step: float) -> None:
        self.now += timedelta(**step)
