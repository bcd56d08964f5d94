"""A command on a pseudo-terminal of 80×24, with every byte it sent."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from run_home import share_judge

# What Textual asks when it starts: synchronized output (2026) yes, reports of resizes (2048) no.
ANSWERS = {b"\x1b[?2026$p": b"\x1b[?2026;2$y", b"\x1b[?2048$p": b"\x1b[?2048;0$y"}


class Session:
    def __init__(self, home: Path, *arguments: str, **environment: str) -> None:
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        told = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TMUX")}
        told |= {
            "TUTOR_HOME": str(share_judge(home)),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tutor", *arguments],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            env=told | environment,
        )
        self.sent = b""

    @property
    def said(self) -> str:
        return self.sent.decode("utf-8", "replace")

    def read(self, seconds: float) -> bytes:
        """What comes within `seconds`."""
        end, came = time.monotonic() + seconds, b""
        while (left := end - time.monotonic()) > 0:
            if select.select([self.master], [], [], left)[0]:
                data = os.read(self.master, 65536)
                for asked, answer in ANSWERS.items():
                    if asked in data:
                        os.write(self.master, answer)
                came += data
                self.sent += data
        return came

    def until(self, text: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while text not in self.said:
            assert time.monotonic() < end, f"{text!r} is not in {self.said[-3000:]!r}"
            self.read(0.05)

    def press(self, data: bytes, shown: str) -> None:
        os.write(self.master, data)
        self.until(shown)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.slave)
        os.close(self.master)
