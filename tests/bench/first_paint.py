"""Times from the start of the process until home is on the terminal, and until it has answered a key
pressed at once. They are compared with the smallest Textual application."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.harness import Times, rounded
from tests.bench.terminal import CTRL_Q, Terminal
from tutor.course.catalog.course import Course

MINIMAL = "tests.bench.minimal_app"
MINIMAL_WORDS = "one label"  # what that application shows
HELP_KEY, HELP_WORDS = b"?", "Esc closes"  # the first key, and what it puts on home
_END_SECONDS = 15.0  # leaving includes ending a judge that is still importing torch


@dataclass(frozen=True)
class FirstPaint:
    """`usable`: until the help that `?` opens is on the screen."""

    tutor: Times
    usable: Times
    minimal: Times

    @property
    def ratio(self) -> float:
        return self.tutor.median / self.minimal.median

    def to_json(self) -> dict[str, float]:
        return {
            "tutor_ms": rounded(self.tutor.median),
            "usable_ms": rounded(self.usable.median),
            "minimal_ms": rounded(self.minimal.median),
            "ratio": round(self.ratio, 2),
        }

    def lines(self) -> list[str]:
        return [
            f"tutor        {self.tutor.words()}, {self.ratio:.2f} x the minimal application",
            f"usable       {self.usable.words()}, the first key answered",
            f"one label    {self.minimal.words()}",
        ]


def measure(course: Course, runs: int) -> FirstPaint:
    """Measure the two applications in turns. Each ends by its own quit key."""
    tutor, usable, minimal = [], [], []
    for _ in range(runs):
        painted, answered = seconds("tutor", home_words(course), (HELP_KEY, HELP_WORDS))
        tutor.append(painted)
        usable.append(answered)
        minimal.append(seconds(MINIMAL, MINIMAL_WORDS)[0])
    return FirstPaint(Times.of(tutor), Times.of(usable), Times.of(minimal))


def home_words(course: Course) -> str:
    """Return the name of the course's last phase, which is the last text on home."""
    return course.phases[max(course.phases)]


def seconds(module: str, words: str, then: tuple[bytes, str] | None = None) -> tuple[float, float]:
    """Return the seconds until `words` are on the terminal, and until a key pressed then is answered."""
    command: Sequence[str] = [sys.executable, "-m", module]
    with Terminal(command, os.environ) as terminal:
        took = answered = terminal.until_painted(words)
        if then is not None:
            key, answer = then
            terminal.forget()
            terminal.type(key)
            answered = terminal.until_painted(answer)
        terminal.type(CTRL_Q)
        terminal.until_ended(_END_SECONDS)
    return took, answered
