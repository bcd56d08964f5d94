"""A program on a pseudo-terminal, and the times of its output."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from tutor.base.errors import CannotHere

COLUMNS, ROWS = 120, 40
ROOT = Path(__file__).resolve().parents[2]

# What Textual asks a terminal when it starts, and what xterm would say: synchronized output (mode
# 2026) is understood, in-band resize reports (2048) are not, and device attributes.
_ANSWERS = {
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",
    b"\x1b[?2048$p": b"\x1b[?2048;0$y",
    b"\x1b[c": b"\x1b[?62;4c",
}
_CONTROL = re.compile(rb"\x1b\[[0-9;:?<>=]*[ -/]*[@-~]|\x1b[()][0-9A-B]|\x1b[=>78]")
_KEPT = 1 << 16  # bytes of the latest output
# A session whose leader opens a terminal by name has it as its controlling one. Its programs get SIGHUP
# when this process ends for any reason, so nothing is left running.
_ON_TERMINAL = 'exec "$@" <>"$0" >&0 2>&0'
CTRL_Q = b"\x11"  # quits any Textual application


class Terminal:
    """A `command` on a new pseudo-terminal, run in the root of the repository, where Python finds
    `tests.bench`. A context manager that leaves nothing running."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._master, slave = pty.openpty()
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        told = {k: v for k, v in environment.items() if k != "NO_COLOR"}
        told |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self._seen = b""
        self._command = " ".join(command[1:])
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _ON_TERMINAL, os.ttyname(slave), *command],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=ROOT,
            env=told,
            start_new_session=True,
        )
        os.close(slave)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._master)

    @property
    def pid(self) -> int:
        return self._process.pid

    def until_painted(self, words: str, seconds: float = 60.0) -> float:
        """Seconds from the start of the process until `words` had arrived in one piece.

        Raises `CannotHere` with the program's last output if they never do.
        """
        wanted = words.encode()
        deadline = self.started + seconds
        while time.perf_counter() < deadline and self._read(deadline):
            arrived = time.perf_counter()
            if wanted in _CONTROL.sub(b"", self._seen):
                return arrived - self.started
        raise CannotHere(
            f"{self._command} did not show “{words}”; its last output: {self.output_end()}"
        )

    def shows(self, words: str, seconds: float) -> bool:
        """Return True if `words` appear in one piece within so many seconds, or did since `forget`."""
        deadline = time.perf_counter() + seconds
        while words.encode() not in _CONTROL.sub(b"", self._seen):
            if time.perf_counter() >= deadline or not self._read(deadline):
                return False
        return True

    def type(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def listen(self, seconds: float) -> None:
        """Read output and answer queries for so long. Only the latest output is kept."""
        deadline = time.perf_counter() + seconds
        while time.perf_counter() < deadline and self._read(deadline):
            self._seen = self._seen[-_KEPT:]

    def forget(self) -> None:
        """Forget the output so far: `until_painted` sees only later output."""
        self._seen = b""

    def until_ended(self, seconds: float) -> int:
        """Read until the program ends; return its exit status. Raises `CannotHere` if it runs on."""
        deadline = time.perf_counter() + seconds
        while time.perf_counter() < deadline and self._read(deadline):
            self._seen = self._seen[-_KEPT:]
        try:
            return self._process.wait(max(deadline - time.perf_counter(), 0.1))
        except subprocess.TimeoutExpired:
            raise CannotHere(f"{self._command} did not end within {seconds:g} s") from None

    def _read(self, deadline: float) -> bool:
        """Read new output and answer queries. Return False once the program has closed the terminal."""
        ready, _, _ = select.select([self._master], [], [], max(deadline - time.perf_counter(), 0))
        if not ready:
            return True
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # EIO: the last one to hold the other end has closed it
            return False
        self._seen += data
        for query, answer in _ANSWERS.items():
            if query in data:
                os.write(self._master, answer)
        return bool(data)

    def output_end(self) -> str:
        """Return the end of the output, without control sequences."""
        text = _CONTROL.sub(b"", self._seen).decode("utf-8", "replace")
        return " ".join(text.split())[-300:] or "nothing"
