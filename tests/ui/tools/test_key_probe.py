"""`tutor doctor --keys` in a real terminal."""

import os
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
from pty_session import Session


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    (tmp_path / "config.toml").write_text('[keys]\n"home.map" = "w"\n')
    opened = Session(tmp_path, "doctor", "--keys")
    opened.until("actions that have it")
    yield opened
    opened.close()


def test_bytes_names_and_actions_are_shown(session: Session) -> None:
    session.press(b"\x1b[15~", "1b 5b 31 35 7e           f5               lab.check")
    session.press(b"w", "home.map")  # the learner's own key
    session.press(b"\x1b[A", "1b 5b 41                 up ")
    session.press("ü".encode(), "c3 bc                    ü ")
    session.press(b"\x0f", "ctrl+o           no action has it")
    session.press(b"\x03", "ctrl+c ")  # raw: it does not end it
    session.press(b"\x1b", "1b                       escape ")
    session.press(b"q", "71 ")
    assert session.process.poll() is None


@pytest.mark.parametrize("key", [b"q", b"\x1b"])
def test_the_same_end_twice_ends_it_and_the_terminal_is_as_it_was(
    session: Session, key: bytes
) -> None:
    session.press(b"x", "78 ")
    session.press(key, key.hex() + " ")
    assert session.process.poll() is None
    os.write(session.master, key)
    session.until("\x1b[<u")
    assert session.process.wait(10) == 0
    assert termios.tcgetattr(session.slave) == session.before


def test_a_pipe_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tutor", "doctor", "--keys"],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
