"""Processor time and memory of the interface while nobody uses it, and in long use. The judge's process
does not count.

Both come from Linux (`/proc/PID/stat`, `/proc/PID/smaps_rollup`); other systems have no figures.
"""

import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.bench.first_paint import MINIMAL, MINIMAL_WORDS, home_words
from tests.bench.terminal import CTRL_Q, Terminal
from tutor.base.errors import CannotHere
from tutor.course.catalog.course import Course
from tutor.judge.processes.process_control import read_core_seconds

_WARM_SECONDS = 8.0  # after the first paint: the judge has been started, garbage collected
_SETTLED_SECONDS = 4.0  # after a lesson was opened
# On a busy machine that takes longer. A collection of garbage comes after two seconds without a key.
_QUIET_SECONDS, _QUIET_PERCENT, _LATEST_SECONDS = 3.0, 1.0, 60.0
_KEY_SECONDS = 0.15  # between two keys of a session; pages that a key opens get longer
# For a page to open on a busy machine. Escape may first leave an editor, or end what still runs: it is
# pressed again then.
_LATE_SECONDS, _ESCAPES_SECONDS = (60.0,), (2.0, 20.0, 20.0)
_XRAY_ENDED = "Stopped. "  # by q, where the X-ray was not over yet: the next one leaves
# A key is answered once the process has neither run nor waited for a core for most of such a time.
_ANSWERED_SECONDS, _ANSWERED_SHARE, _ANSWER_SECONDS = 0.05, 0.3, 20.0
_END_SECONDS = 15.0
_MIB = 1024  # KiB in one

_ESCAPE, _ENTER, _F3, _F5 = b"\x1b", b"\r", b"\x1bOR", b"\x1b[15~"
_HOME = "Next up"
# What an hour holds, as keys from home and back to it, each with the seconds it is given and, where it
# opens a page, words of that page. A round stands for some ten minutes: pages, cells, a submission,
# the ladder, reviews, searches, statistics.
_ROUND: tuple[tuple[bytes, float, str], ...] = (
    (b"d", 1.0, "Why ML Needs Compilers"),
    *((b"n", _KEY_SECONDS, ""), (b" ", _KEY_SECONDS, "")) * 6,
    (b"x", 1.5, ""),
    (b"t", 0.3, ""),
    (_ESCAPE, 0.3, ""),
    *((b"p", _KEY_SECONDS, ""),) * 8,
    (b"q", 0.5, _HOME),
    (b"K", 1.0, "i edit"),
    (b"i", 0.3, "other side"),
    *((letter.encode(), 0.05, "") for letter in "# a line of words\r"),
    (_F5, 3.0, ""),
    (_ESCAPE, 0.3, "l ladder"),
    (b"t", 0.3, ""),
    (b"h", 0.3, ""),
    (b"l", 3.0, "sm_90"),
    (b"n", 0.3, ""),
    (b"n", 0.3, ""),
    (b"q", 0.5, "i edit"),
    (_ESCAPE, 0.5, _HOME),
    (b"r", 0.7, "leave"),
    *((_F3, 0.3, ""), (_ENTER, 0.3, "")) * 6,
    (_ESCAPE, 0.5, _HOME),
    (b"/", 0.5, "Search"),
    *((letter.encode(), 0.1, "") for letter in "warp tile"),
    (_ESCAPE, 0.5, _HOME),
    (b"s", 0.5, "Overview"),
    *((b"n", 0.3, ""),) * 5,
    (_ESCAPE, 0.3, _HOME),
    (b"m", 0.5, "The map"),
    *((b"j", _KEY_SECONDS, ""),) * 10,
    (b"c", 0.5, "open the page"),
    (_ESCAPE, 0.3, "next phase"),
    (_ESCAPE, 0.5, _HOME),
)


@dataclass(frozen=True)
class Idle:
    """Percent of one processor, over `seconds` in which nobody does anything."""

    home: float
    lesson: float
    seconds: float

    def to_json(self) -> dict[str, float]:
        home, lesson = round(self.home, 2), round(self.lesson, 2)
        return {"home_percent": home, "lesson_percent": lesson, "seconds": self.seconds}

    def lines(self) -> list[str]:
        return [
            f"idle         {self.home:.2f} % of a processor at home, {self.lesson:.2f} % in a "
            f"lesson, over {self.seconds:g} s"
        ]


@dataclass(frozen=True)
class Memory:
    """MiB of the interface's process at home: resident, once all is warm and after each round; at
    the end also `unique`, the pages that no other process shares. `minimal` is the memory of the
    smallest Textual application."""

    start: float
    rounds: tuple[float, ...]
    unique: float
    minimal: float

    @property
    def growth(self) -> float:
        """The growth from the middle of the session to its end, as a share of the middle."""
        middle = self.rounds[len(self.rounds) // 2]
        return (self.rounds[-1] - middle) / middle

    def to_json(self) -> dict[str, float | list[float]]:
        return {
            "start_mib": round(self.start, 1),
            "rounds_mib": [round(each, 1) for each in self.rounds],
            "end_mib": round(self.rounds[-1], 1),
            "unique_mib": round(self.unique, 1),
            "growth": round(self.growth, 3),
            "minimal_mib": round(self.minimal, 1),
        }

    def lines(self) -> list[str]:
        middle = self.rounds[len(self.rounds) // 2]
        return [
            f"memory       {self.start:.0f} MiB resident at first, {self.rounds[0]:.0f} after ten "
            f"minutes' keys, {middle:.0f} in the middle, {self.rounds[-1]:.0f} at the end of "
            f"{len(self.rounds)} rounds ({self.unique:.0f} its own); one label {self.minimal:.0f}"
        ]


@dataclass(frozen=True)
class LongRun:
    idle: Idle
    memory: Memory

    def to_json(self) -> dict[str, dict[str, float | list[float]]]:
        return {"idle": {**self.idle.to_json()}, "memory": self.memory.to_json()}

    def lines(self) -> list[str]:
        return [*self.idle.lines(), *self.memory.lines()]


def measure(course: Course, seconds: float, rounds: int) -> LongRun:
    """Measure a session: `seconds` idle at home and in a lesson, then `rounds` of use.

    Raises `CannotHere` if the system has no such figures or the application ends by itself."""
    if not Path("/proc/self/smaps_rollup").exists():
        raise CannotHere("this system does not tell what a process takes of its memory")
    with Terminal([sys.executable, "-m", "tutor"], os.environ) as terminal:
        terminal.until_painted(home_words(course))
        _settle(terminal, _WARM_SECONDS)
        at_home = _busy(terminal, seconds)
        start, _ = _memory(terminal)
        terminal.type(b"d")
        _settle(terminal, _SETTLED_SECONDS)
        in_lesson = _busy(terminal, seconds)
        terminal.type(b"q")
        terminal.listen(1.0)
        found = []
        for _ in range(rounds):
            _play(terminal)
            terminal.listen(3.0)  # garbage is collected while nothing happens
            found.append(_memory(terminal))
        terminal.type(CTRL_Q)
        with suppress(CannotHere):  # a key of the last round may still be answered
            terminal.until_ended(_END_SECONDS)
    resident = tuple(each for each, _ in found)
    memory = Memory(start, resident, found[-1][1], _of_the_least())
    return LongRun(Idle(at_home, in_lesson, seconds), memory)


def _play(terminal: Terminal) -> None:
    """Play a round. Raises `CannotHere` where it strays from its path."""
    for key, pause, words in _ROUND:
        terminal.forget()
        for seconds in _ESCAPES_SECONDS if key == _ESCAPE else _LATE_SECONDS:
            terminal.type(key)
            terminal.listen(pause)
            _until_answered(terminal)
            if key == b"q" and terminal.shows(_XRAY_ENDED, 0.0):
                terminal.type(key)
            if not words or terminal.shows(words, seconds):
                break
        else:
            raise CannotHere(
                f"the session used for long strayed: {key!r} did not show “{words}”; its last output: "
                f"{terminal.output_end()}"
            )


def _until_answered(terminal: Terminal) -> None:
    """On a busy machine a key may wait for its answer: the next one would meet another page."""
    deadline = time.perf_counter() + _ANSWER_SECONDS
    while time.perf_counter() < deadline:
        before, started = sum(read_core_seconds(terminal.pid)), time.perf_counter()
        terminal.listen(_ANSWERED_SECONDS)
        had = sum(read_core_seconds(terminal.pid)) - before
        if had < _ANSWERED_SHARE * (time.perf_counter() - started):
            return


def _of_the_least() -> float:
    with Terminal([sys.executable, "-m", MINIMAL], os.environ) as terminal:
        terminal.until_painted(MINIMAL_WORDS)
        terminal.listen(_SETTLED_SECONDS)
        resident, _ = _memory(terminal)
        terminal.type(CTRL_Q)
        terminal.until_ended(_END_SECONDS)
    return resident


def _settle(terminal: Terminal, seconds: float) -> None:
    """Wait so long, then until the process has done next to nothing for a while; a minute at most."""
    deadline = time.perf_counter() + seconds + _LATEST_SECONDS
    terminal.listen(seconds)
    while _busy(terminal, _QUIET_SECONDS) > _QUIET_PERCENT and time.perf_counter() < deadline:
        pass


def _busy(terminal: Terminal, seconds: float) -> float:
    """Percent of one processor that the process took while the terminal only listened."""
    before, started = _cpu_seconds(terminal), time.perf_counter()
    terminal.listen(seconds)
    return 100 * (_cpu_seconds(terminal) - before) / (time.perf_counter() - started)


def _cpu_seconds(terminal: Terminal) -> float:
    """User and system time of the process, without its children. proc(5), fields 14 and 15."""
    fields = _read(terminal, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(terminal: Terminal) -> tuple[float, float]:
    """(resident, unique) in MiB. proc(5): the sums of all mappings."""
    sums = dict(line.split()[:2] for line in _read(terminal, "smaps_rollup").splitlines()[1:])
    unique = int(sums["Private_Clean:"]) + int(sums["Private_Dirty:"])
    return int(sums["Rss:"]) / _MIB, unique / _MIB


def _read(terminal: Terminal, name: str) -> str:
    try:
        return Path(f"/proc/{terminal.pid}/{name}").read_text("ascii", "replace")
    except OSError:
        raise CannotHere(f"the application ended by itself: {terminal.output_end()}") from None
