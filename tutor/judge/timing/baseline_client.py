"""The server's end of the process with torch.compile's yardsticks
(`tutor.judge.timing.baseline_main`)."""

import os
import select
import signal
import subprocess
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path

from tutor.judge.model.caller_messages import CANCEL
from tutor.judge.processes import process_control
from tutor.judge.processes.wire import Channel, Closed, pair
from tutor.judge.processes.worker_messages.helpers import (
    FROM_BASELINE,
    BaselineAnswer,
    BaselineFailed,
    BaselineQuestion,
    BaselineReady,
    BaselineTimes,
    CompileBaseline,
    ForgetInputs,
    LayOutBaseline,
    TimeBaseline,
)

_COMPILE_SECONDS = 300.0  # on a busy machine; the waiting caller can cancel
_ROUND_SECONDS = 30.0

_GONE = "the process that compiles it has ended; see judge.log"
Key = tuple[str, str, int]  # path of a reference.py, device, its time of change


class CompiledBaseline:
    """Compiles exercises' `eager` in advance, and times it. It starts no process before the first
    `prepare`. `error(key)` says why one is not available."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._pending: deque[Key] = deque()
        self._done: dict[Key, str] = {}  # "" or the reason of the failure
        self._paused = False

    def prepare(self, path: Path, device: str) -> Key:
        """Compile it in the background, unless it is compiled or queued. Returns its name."""
        key = self.key(path, device)
        if key in self._pending or (key in self._done and self._process):
            return key
        if self._process is None:
            self._start()
        self._pending.append(key)
        self._send(CompileBaseline(key[0], device))
        return key

    def key(self, path: Path, device: str) -> Key:
        """Return its name here, compiled or not."""
        return (str(path), device, path.stat().st_mtime_ns)

    def is_settled(self, key: Key) -> bool:
        """Return True if it is compiled or has failed; does not wait."""
        while self._pending and self._channel and select.select([self._channel], [], [], 0)[0]:
            self._take_answer()
        return not self._pending and key in self._done

    def wait(self, key: Key, caller: Channel) -> bool:
        """Wait until it is settled. Returns False if the caller sends `cancel` before that.

        Raises `Closed` if the caller has gone.
        """
        self.resume()
        while not self.is_settled(key):
            if self._channel is None:
                return True
            ready, _, _ = select.select([self._channel, caller], [], [], _COMPILE_SECONDS)
            if caller in ready:
                caller.receive(CANCEL)
                return False
            elif not ready:
                self._handle_loss("not compiled in time")
        return True

    def error(self, key: Key) -> str:
        return self._done.get(key, _GONE)

    def lay_out(self, key: Key, seed: int, shifts: list[int]) -> bool:
        """Make the inputs that `round` cycles through. `key` is settled without an error."""
        self.resume()
        answer = self._ask(LayOutBaseline(key[0], key[1], seed, shifts), _COMPILE_SECONDS)
        if not isinstance(answer, BaselineReady):
            self._done[key] = answer.reason if isinstance(answer, BaselineFailed) else _GONE
        return isinstance(answer, BaselineReady)

    def round(self, samples: int) -> list[float]:
        """Return milliseconds; none if the process is gone."""
        answer = self._ask(TimeBaseline(samples), _ROUND_SECONDS)
        return answer.ms if isinstance(answer, BaselineTimes) else []

    def forget(self) -> None:
        """Have the process free the inputs' memory. This takes a while; do not wait for it."""
        self._send(ForgetInputs())

    def pause(self) -> None:
        """Stop its compilations: they would take a core, or the GPU, from a submission."""
        if self._pending:
            self._paused = True
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Continue; `wait` and `lay_out` call this themselves."""
        if self._paused:
            self._paused = False
            self._signal(signal.SIGCONT)

    @property
    def pids(self) -> set[int]:
        return {self._process.pid} if self._process else set()

    def close(self) -> None:
        if self._channel:
            self._channel.close()
        if self._process:
            process_control.kill_group(self._process.pid)
            self._process.wait()
        self._channel = self._process = None
        self._paused = False

    def _start(self) -> None:
        ours, theirs = pair()
        os.set_inheritable(theirs.fileno(), True)
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tutor.judge.timing.baseline_main",
                str(theirs.fileno()),
                str(os.getpid()),
            ],
            pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        self._channel = ours

    def _signal(self, number: int) -> None:
        """Send a signal to it and its compilers, which are in its group."""
        if self._process:
            with suppress(OSError):
                os.killpg(self._process.pid, number)

    def _send(self, message: BaselineQuestion) -> None:
        try:
            if self._channel:
                self._channel.send(message)
        except Closed:
            self._handle_loss()

    def _ask(self, message: BaselineQuestion, seconds: float) -> BaselineAnswer | None:
        """Return the answer, or None if none comes."""
        self._send(message)
        if self._channel is None or not select.select([self._channel], [], [], seconds)[0]:
            self._handle_loss()
            return None
        try:
            return self._channel.receive(FROM_BASELINE)[0]
        except Closed:
            self._handle_loss()
            return None

    def _take_answer(self) -> None:
        assert self._channel is not None
        try:
            answer, _ = self._channel.receive(FROM_BASELINE)
        except Closed:
            self._handle_loss()
            return
        why = answer.reason if isinstance(answer, BaselineFailed) else ""
        self._done[self._pending.popleft()] = why

    def _handle_loss(self, why: str = _GONE) -> None:
        """Handle a crash or a hang: its current compilation is settled, and the next call starts a
        new process."""
        self.close()
        self._done = dict.fromkeys(self._pending, why)
        self._pending.clear()
