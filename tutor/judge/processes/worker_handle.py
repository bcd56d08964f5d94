"""The server's end of a worker: it asks the worker within limits, and ends it."""

import contextlib
import os
import select
import signal
import stat
import time
from collections.abc import Callable
from typing import Any, Protocol

from tutor.judge.model.caller_messages import CANCEL
from tutor.judge.processes import process_control
from tutor.judge.processes.limits import WorkerLimits, WorkerStopped
from tutor.judge.processes.stack_report import ask_for_stack
from tutor.judge.processes.task_clock import TaskClock
from tutor.judge.processes.wire import Channel, Closed, Malformed, close_all
from tutor.judge.processes.worker_messages.questions import WARM, decoder_of
from tutor.judge.processes.worker_messages.records import Answers, WorkerQuestion

START_SECONDS = 120.0  # time to import torch from a cold disk
_POLL_SECONDS = 0.05  # interval between two looks at memory and processes
_DEATH_SECONDS = 2.0
_EXACT_SHARE = 10  # counting memory exactly takes at most this fraction (1/n) of the time
_TALK_SECONDS = 5.0  # for a message that has begun
_MUCH_LONGER = 1.5  # times a limit, from which the clock's time is told too


class Parent(Protocol):
    """The template that forked a worker and learns how it ended."""

    mode: str

    def exit_status(self, pid: int) -> int | None: ...

    def forget(self, pid: int) -> None: ...


class WorkerHandle:
    """A forked process and its printed output. It serves one submission, or one lesson's cells."""

    def __init__(self, pid: int, channel: Channel, output_fd: int, template: Parent) -> None:
        self.pid = pid
        self.output = bytearray()
        self.limits = WorkerLimits(10.0, 4 << 30)
        self.on_output: Callable[[bytes], None] | None = None
        self._channel = channel
        self._output_fd = output_fd
        self._template = template
        self._printed = 0
        self._at_first = 0  # bytes
        self._exact_again = 0.0  # time at which memory may next be counted exactly, which is slow
        self._clock = TaskClock(pid, self.limits.seconds)
        self._began = time.monotonic()
        os.set_blocking(output_fd, False)

    def wait_warm(self) -> bool:
        """Wait until it can take work. Returns False if the process is gone."""
        if self._template.mode != "cuda":  # warm from the fork on, and silent until it is asked
            return not select.select([self._channel], [], [], 0)[0]
        self._channel.settimeout(START_SECONDS)
        try:
            self._channel.receive(WARM)
        except Closed:
            return False
        self._channel.settimeout(None)
        return True

    def begin(self, limits: WorkerLimits) -> None:
        """Start the clock."""
        self.limits = limits
        self._at_first = self._at_first or process_control.resident_bytes(self.pid)
        self._clock = TaskClock(self.pid, limits.seconds)
        self._began = time.monotonic()
        self._printed = 0

    def ask(
        self, question: WorkerQuestion[Answers], fds: tuple[int, ...], caller: Channel
    ) -> tuple[Answers, list[int]]:
        """Send a question and wait for its answer: `post`, then `answer`."""
        self.post(question, fds)
        return self.answer(question, caller)

    def post(self, question: WorkerQuestion[Any], fds: tuple[int, ...] = ()) -> None:
        """Send a question; its time starts now. If nobody listens, `answer` raises."""
        self._clock.post()
        with contextlib.suppress(Closed):
            self._channel.send(question, fds)

    def answer(
        self, question: WorkerQuestion[Answers], caller: Channel
    ) -> tuple[Answers, list[int]]:
        """Wait within the limits for an answer to the posted question. If it has several answers, call
        this again: the clock keeps running.

        Raises `WorkerStopped` after it has killed the process group. Raises `Closed` if the caller has
        gone; its channel is watched during the wait.
        """
        watched: list[Any] = [self._channel, self._output_fd, caller]
        self._clock.listen()
        looked = time.monotonic()
        while True:
            now = time.monotonic()
            left = self._clock.left()
            if left <= 0:
                stack = ask_for_stack(self.pid)
                self.kill(_DEATH_SECONDS)
                raise WorkerStopped("timeout", self._describe_timeout(), stack)
            ready, _, _ = select.select(watched, [], [], min(left + 0.001, _POLL_SECONDS))
            if self._output_fd in ready and not self._drain():
                watched.remove(self._output_fd)
            if self._channel in ready:
                received = self._receive(question)
                self._clock.stop()
                return received
            if caller in ready:
                self._stop_on_request(caller)
            if now - looked >= _POLL_SECONDS:
                looked = now
                self.check()

    def _describe_timeout(self) -> str:
        """Say which limit is over; and what the clock says, where the worker waited for long."""
        seconds, passed = self.limits.seconds, time.monotonic() - self._began
        if passed < _MUCH_LONGER * seconds:
            return f"not finished after {seconds:g} s"
        return f"not finished after {seconds:g} s of its own time ({passed:.0f} s by the clock)"

    def _receive(self, question: WorkerQuestion[Answers]) -> tuple[Answers, list[int]]:
        self._channel.settimeout(_TALK_SECONDS)
        fds: list[int] = []
        try:
            answer, fds = self._channel.receive(decoder_of(question))
            if not all(stat.S_ISREG(os.fstat(fd).st_mode) for fd in fds):
                raise Malformed("a descriptor of no file")  # a pipe would make the reader wait
        except Malformed:
            close_all(fds)
            self.kill(_DEATH_SECONDS)
            raise WorkerStopped(
                "tampering", "the process answered what the judge cannot have asked"
            ) from None
        except Closed:
            raise self._explain_death() from None
        self._channel.settimeout(None)
        self._drain()
        return answer, fds

    def _stop_on_request(self, caller: Channel) -> None:
        try:
            caller.receive(CANCEL)
        except Closed:
            self.kill(_DEATH_SECONDS)
            raise
        self.kill(_DEATH_SECONDS)
        raise WorkerStopped("cancelled", "stopped on request")

    def _drain(self) -> bool:
        """Read the printed output. Returns False once the other end is closed."""
        while True:
            try:
                data = os.read(self._output_fd, 1 << 16)
            except BlockingIOError:
                return True
            if not data:
                return False
            self._printed += len(data)
            if self._printed > self.limits.output_bytes:
                self.kill(_DEATH_SECONDS)
                raise WorkerStopped(
                    "too-much-output", f"more than {self.limits.output_bytes >> 10} KiB printed"
                )
            self.output += data
            if self.on_output:
                self.on_output(data)

    def check(self) -> None:
        """Compare its memory and its processes with the limits. If one is exceeded, kill it and raise
        `WorkerStopped`."""
        started = process_control.descendants(self.pid)
        self._clock.look_at(started)
        if len(started) > self.limits.processes:
            self.kill(_DEATH_SECONDS)
            raise WorkerStopped(
                "too-many-processes", f"more than {self.limits.processes} processes"
            )
        limit = self.limits.memory_bytes
        # A fork shares its parent's pages, and each of the two counts them. Therefore the memory that
        # the worker had at the start is subtracted. If the result is over the limit, the exact count
        # decides.
        used = process_control.resident_bytes(self.pid)
        used += sum(max(0, process_control.resident_bytes(p) - self._at_first) for p in started)
        before = time.monotonic()
        if used <= limit or before < self._exact_again:
            return
        exact = sum(map(process_control.proportional_bytes, [self.pid, *started]))
        took = time.monotonic() - before
        self._exact_again = before + _EXACT_SHARE * took
        if exact > limit:
            self.kill(_DEATH_SECONDS)
            raise WorkerStopped("out-of-memory", f"more than {limit >> 30} GiB in use")

    def _explain_death(self) -> WorkerStopped:
        with contextlib.suppress(WorkerStopped):
            self._drain()
        status = self._template.exit_status(self.pid)
        self.kill()
        if status is None:
            return WorkerStopped("crash", "the process stopped talking to the judge")
        if os.WIFSIGNALED(status):
            name = signal.Signals(os.WTERMSIG(status)).name
            return WorkerStopped("crash", f"the process was ended by {name}")
        return WorkerStopped("crash", f"the process left with exit status {os.WEXITSTATUS(status)}")

    def kill(self, patience: float = 0.0) -> None:
        """Kill it and everything it started. Wait at most `patience` seconds for its death, because a
        dying process, above all on a GPU, still occupies what the next one needs."""
        if self._output_fd < 0:
            return  # already done; the number may belong to another process now
        process_control.kill_group(self.pid, patience)
        self._channel.close()
        with contextlib.suppress(OSError):
            os.close(self._output_fd)
        self._output_fd = -1
        self._template.forget(self.pid)
