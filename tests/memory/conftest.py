"""A clock that tests move, and an empty record that follows it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from clock import Clock

from tutor.memory.record import Record, open_record


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def record(tmp_path: Path, clock: Clock) -> Iterator[Record]:
    record = open_record(tmp_path / "record.sqlite3", clock)
    yield record
    record.close()
