"""The clock of a worker's task: which of the time until its answer counts against the limit.

The limit is a promise about the learner's program, not about the machine. So what counts is the time in
which the server listens and the worker has a core, or a program that it started has one, or it waits for
anything else. While the server does something else, its answer may have lain there for long: then only
the processor time that the worker has had counts.
"""

import time
from dataclasses import dataclass

from tutor.judge.processes import process_control
from tutor.judge.processes.limits import PATIENCE


@dataclass(frozen=True)
class _Reading:
    """Seconds: of the clock on the wall, and those in which the process had a core or waited for one."""

    wall: float
    ran: float
    waited: float


class TaskClock:
    """Counts the time of the process `pid` in one task of `seconds`.

    The time in which it waits for programs that it started, and these for a disk or a core, does not
    count, up to `PATIENCE` times the limit: they may never end. Nor does the time in which it waits for
    a core itself, without a bound, unless its own programs have used up that much processor time.
    """

    def __init__(self, pid: int, seconds: float) -> None:
        self._pid = pid
        self._left = seconds
        self._most = self._patience = PATIENCE * seconds
        self._idle = 0.0  # seconds in which programs that it started had no processor time
        self._programs: tuple[_Reading, float] | None = None  # the last look, and processor time
        self._used = 0.0  # processor seconds, those of its programs included, while it had some
        self._since = self._read()

    def post(self) -> None:
        """A question is sent: its time starts now."""
        self._since = self._read()

    def listen(self) -> None:
        """The server listens from now on."""
        now = self._read()
        self._left -= max(0.0, min(now.wall - self._since.wall, now.ran - self._since.ran))
        self._since, self._idle, self._programs = now, 0.0, None

    def left(self) -> float:
        """Return the seconds that are left; 0 or less where the limit is exceeded."""
        left = self._left - (time.monotonic() - self._since.wall)
        return left if left > 0 else self._count(self._read())[0]

    def stop(self) -> None:
        """An answer has come. If there are several, the next one's time starts now."""
        now = self._read()
        _, counted, spent = self._count(now)
        self._left -= counted
        self._patience -= spent
        self._since = now

    def look_at(self, started: list[int]) -> None:
        """Note what the programs that it has started do. Call it every now and then."""
        if not started:
            self._programs = None
            return
        now = self._read()
        used = process_control.read_processor_seconds([self._pid, *started])
        if self._programs is not None:
            before, used_before = self._programs
            worked = max(0.0, used - used_before)  # an end that nobody waited for takes time away
            waited = max(0.0, now.waited - before.waited)
            self._idle += max(0.0, now.wall - before.wall - worked - waited)
            self._used += worked
        self._programs = now, used

    def _count(self, now: _Reading) -> tuple[float, float, float]:
        """Return the seconds that are left, those that count since the server listens, and those of
        them and of idle programs together."""
        waited = max(
            0.0, now.waited - self._since.waited
        )  # of a dead process there is nothing to read
        spent = max(0.0, now.wall - self._since.wall - waited)
        counted = max(0.0, spent - self._idle)
        if self._used > self._most:
            return 0.0, counted, spent
        return min(self._left - counted, self._patience - spent), counted, spent

    def _read(self) -> _Reading:
        ran, waited = process_control.read_core_seconds(self._pid)
        return _Reading(time.monotonic(), ran, waited)
