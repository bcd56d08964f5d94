"""Nothing is painted where nothing has changed, and what is painted comes in one piece."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pty_session import Session

from tutor.memory.record import open_record

BEGIN, END = b"\x1b[?2026h", b"\x1b[?2026l"
COLOUR = re.compile(rb"\x1b\[([0-9;]*)m")


def opened(home: Path, **environment: str) -> Session:
    """At rest on home, of a learner who has read a page."""
    with closing(open_record(home / "record.sqlite3")) as record:
        record.activity.section_read(22, 0)
    session = Session(home, **environment)
    session.until("q")
    session.until("quit")
    while session.read(2):  # the judge warms up, notices go
        pass
    return session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Each test leaves it at rest on home."""
    running = opened(tmp_path_factory.mktemp("home"))
    yield running
    running.close()


@pytest.mark.slow
def test_home_at_rest_sends_nothing(session: Session) -> None:
    assert session.read(5) == b""


@pytest.mark.slow
def test_every_painting_is_synchronized(session: Session) -> None:
    """A terminal that knows mode 2026 (tmux, kitty, foot, Windows Terminal) shows no half of it."""
    session.sent = b""
    session.press(b"m", "The map")
    session.read(1)
    painted = session.sent
    outside = re.sub(re.escape(BEGIN) + b".*?" + re.escape(END), b"", painted, flags=re.DOTALL)
    assert painted.count(BEGIN) == painted.count(END) > 0
    assert len(outside) < len(painted) / 50, outside
    session.sent = b""
    session.press(b"\x1b", "Continue")
    while session.read(2):
        pass


@pytest.mark.slow
def test_no_color_leaves_only_greys(tmp_path: Path) -> None:
    session = opened(tmp_path, NO_COLOR="1")
    try:
        session.press(b"m", "The map")
        session.read(1)
        seen = set()
        for codes in COLOUR.findall(session.sent):
            numbers = [int(n) for n in codes.split(b";") if n]
            for at, number in enumerate(numbers):
                if number in (38, 48) and numbers[at + 1 : at + 2] == [2]:
                    seen.add(tuple(numbers[at + 2 : at + 5]))
        assert seen
        assert all(red == green == blue for red, green, blue in seen)
    finally:
        session.close()
