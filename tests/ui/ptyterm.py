"""The program in a real terminal: a pty, with pyte to read what it draws."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

import pyte
from run_home import share_judge

ANSWERS = {b"\x1b[?2026$p": b"\x1b[?2026;2$y", b"\x1b[?2048$p": b"\x1b[?2048;0$y"}


class Terminal:
    """`python -m tutor ARGUMENTS` in a pty of the given size, which is its controlling terminal;
    `environment` goes on top of this process's."""

    def __init__(
        self, columns: int, rows: int, home: Path, *arguments: str, **environment: str
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            told = {
                "TERM": "xterm-256color",
                "TUTOR_HOME": str(share_judge(home)),
                "NO_COLOR": "1",
                "COLUMNS": str(columns),
                "LINES": str(rows),
                "TEXTUAL_ANIMATIONS": "none",
            }
            environment = {**os.environ, **told, **environment}
            command = [sys.executable, "-m", "tutor", *arguments]
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # as a shell leaves it to what it starts
            os.execve(sys.executable, command, environment)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press_after_a_stop(self, keys: str) -> None:
        """Press keys after ctrl+z and `fg`: meanwhile a shell had the terminal, with lines and echo."""
        os.kill(self.pid, signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)
        modes = termios.tcgetattr(self._fd)
        modes[3] |= termios.ICANON | termios.ECHO
        termios.tcsetattr(self._fd, termios.TCSANOW, modes)
        os.kill(self.pid, signal.SIGCONT)
        end = time.monotonic() + 20
        while termios.tcgetattr(self._fd)[3] & termios.ICANON:
            assert time.monotonic() < end, "it goes on, and reads lines and no keys"
            time.sleep(0.05)
        self.press(keys)

    def until(self, text: str, seconds: float = 60) -> str:
        end = time.monotonic() + seconds
        while text not in self.seen():
            assert time.monotonic() < end, f"{text!r} is not in\n{self.seen()}"
            try:
                self._read(0.1)
            except OSError:  # the program has closed the terminal
                raise AssertionError(f"ended without {text!r}:\n{self.seen()}") from None
        return self.seen()

    def settle(self, quiet: float = 0.2) -> str:
        """Read on until nothing has been drawn for a while, as a person looks before typing."""
        while self._read(quiet):
            pass
        return self.seen()

    def drawn(self, seconds: float) -> bool:
        """Wait until something is drawn, at most so long, and then for the rest of it."""
        if not self._read(seconds):
            return False
        self.settle(0.05)
        return True

    def _read(self, seconds: float) -> bool:
        """Take what comes within that time, and answer what the program asks of a terminal."""
        if not select.select([self._fd], [], [], seconds)[0]:
            return False
        data = os.read(self._fd, 65536)
        for asked, answer in ANSWERS.items():
            if asked in data:
                os.write(self._fd, answer)
        self._stream.feed(data)
        return True

    def seen(self) -> str:
        return "\n".join(self.screen.display)

    def press(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def ended(self, seconds: float = 30) -> int:
        """The exit status, once the program has ended by itself."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            with contextlib.suppress(OSError):  # its end of the terminal is closed
                while self._read(0.0 if pid else 0.05):
                    pass
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
        raise AssertionError(f"still running after {seconds} s")

    def close(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)
