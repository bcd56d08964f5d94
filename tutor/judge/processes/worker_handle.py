"""The server's side of the warm processes: zygotes, and the one-shot workers they fork."""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tutor.base.errors import CannotHere
from tutor.judge.processes import messages, process_control
from tutor.judge.processes.wire import Channel, Closed, Message, close_all, pair

OUTPUT_LIMIT = 1 << 20  # bytes a learner's code may print
PROCESS_LIMIT = 64  # processes it may start; compilers and their helpers are a handful
_START_SECONDS = 120.0  # importing torch from a cold disk
_POLL_SECONDS = 0.05  # how often memory and processes are looked at
_PATIENCE = 5.0
_DEATH_SECONDS = 2.0
_EXACT_SHARE = 10  # counting memory exactly takes at most one part in so many of the time
_TALK_SECONDS = 5.0  # for a message that has begun


class Stopped(Exception):
    """The worker did not finish what it was asked. `code` is one of the contract's diagnosis codes
    ("timeout", "crash", "out-of-memory", "too-much-output", "too-many-processes", "tampering") or
    "cancelled"."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@contextlib.contextmanager
def tolerated() -> Iterator[None]:
    """Around a probe, which may leave its limits: what was seen until then stands, and so does the
    verdict. Raises `Stopped` with the code "cancelled" only."""
    try:
        yield
    except Stopped as stop:
        if stop.code == "cancelled":
            raise


class Lost(CannotHere):
    """The zygote has died; another one can be started."""


@dataclass
class Limits:
    """`seconds` count while the worker is asked something and could run: on a busy machine the
    time it waited for a core is given back, up to `_PATIENCE` times the limit."""

    seconds: float
    memory_bytes: int
    output_bytes: int = OUTPUT_LIMIT
    processes: int = PROCESS_LIMIT


class Zygote:
    """A warm process of one mode (see `tutor.judge.worker.zygote_main`), and workers forked ahead
    of need."""

    def __init__(self, mode: str, ahead: int, environment: dict[str, str] | None = None) -> None:
        self.mode = mode
        self._ahead = ahead
        self._standby: deque[Worker] = deque()
        self._exits: dict[int, int] = {}
        self._forgotten: set[int] = set()  # killed, and nobody asks how they ended
        self._folder = ""  # its workers' temporary files
        self._ready = False
        self._lost = False
        ours, theirs = pair()
        os.set_inheritable(theirs.fileno(), True)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tutor.judge.worker.zygote_main", str(theirs.fileno()), mode],
            pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL,
            env=environment,
        )
        theirs.close()
        self.channel = ours

    def take(self) -> "Worker":
        """A worker that has done nothing yet."""
        self.wait_ready()
        while self._standby:
            worker = self._standby.popleft()
            if worker.wait_warm():
                return worker
            worker.kill()  # ended while it waited, by a stray signal or for want of memory
        worker = self._fork()
        if not worker.wait_warm():
            worker.kill()
            if self.mode == "cuda":
                raise CannotHere("the GPU could not be opened; run `tutor doctor`")
            raise CannotHere("the judge's process ended before it had work; see judge.log")
        return worker

    def refill(self) -> None:
        """Fork ahead again; called when nobody waits for a verdict."""
        with contextlib.suppress(Lost):  # the next need starts another
            while self._ready and len(self._standby) < self._ahead:
                self._standby.append(self._fork())

    def is_ready(self) -> bool:
        """Whether `take` would not have to wait for imports."""
        if not self._ready and select.select([self.channel], [], [], 0)[0]:
            self.wait_ready()
        return self._ready

    def wait_ready(self) -> None:
        if self._ready:
            return
        self.channel.settimeout(_START_SECONDS)
        try:
            message, _ = self.channel.receive()
        except Closed:
            raise CannotHere(
                f"the judge's {self.mode} process did not start; see judge.log in the cache folder"
            ) from None
        self.channel.settimeout(None)
        if "cannot" in message:
            raise CannotHere(missing(str(message["cannot"])))
        self._folder = str(message["folder"])
        self._ready = True
        self.refill()

    def _fork(self) -> "Worker":
        ours, theirs = pair()
        read, write = os.pipe2(os.O_CLOEXEC)
        try:
            self.channel.send({"fork": True}, (theirs.fileno(), write))
            while True:
                message = self.next_message()
                if message and "pid" in message:
                    pid = int(message["pid"])
                    self._exits.pop(pid, None)  # of an earlier process with this number
                    self._forgotten.discard(pid)
                    return Worker(pid, ours, read, self)
        except Closed:
            self._lost = True
            os.close(read)
            raise Lost("the judge's warm process ended unexpectedly; see judge.log") from None
        finally:
            theirs.close()
            os.close(write)

    def next_message(self) -> Message | None:
        """One message from the zygote; a worker's exit is kept for `exit_status`."""
        message, _ = self.channel.receive()
        if "exited" in message:
            pid = int(message["exited"])
            if pid in self._forgotten:
                self._forgotten.remove(pid)
            else:
                self._exits[pid] = int(message["status"])
            return None
        return message

    def forget(self, pid: int) -> None:
        """A worker was killed: how it ended is of no interest, whenever that is reported."""
        if self._exits.pop(pid, None) is None:
            self._forgotten.add(pid)

    def exit_status(self, pid: int, wait: float = 1.0) -> int | None:
        """The wait status of a worker that ended, or None if it does not end in `wait` seconds."""
        deadline = time.monotonic() + wait
        while pid not in self._exits:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.channel], [], [], left)[0]:
                return None
            try:
                self.next_message()
            except Closed:
                return None
        return self._exits.pop(pid)

    @property
    def alive(self) -> bool:
        return not self._lost and self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._process.pid

    def close(self) -> None:
        for worker in self._standby:
            worker.kill()
        # One that is still warming up does not listen, and has nothing to put away.
        listens = self._ready or bool(select.select([self.channel], [], [], 0)[0])
        self.channel.close()
        try:
            self._process.wait(2 if listens else 0)
        except subprocess.TimeoutExpired:
            for pid in process_control.descendants(self._process.pid):
                process_control.kill(pid)
            self._process.kill()
            self._process.wait()
        if self._folder:  # left only by one that was killed
            shutil.rmtree(self._folder, ignore_errors=True)


def missing(error: str) -> str:
    """The sentence for an import error's text: which package to install."""
    for package in ("torch", "triton", "numpy"):
        if f"'{package}'" in error or f"No module named {package}" in error:
            return f"{package} is not installed in this Python; run `pip install {package}`"
    return f"a package the judge needs cannot be imported: {error}"


class Worker:
    """One forked process and what it prints. Good for one submission, or one lesson's cells."""

    def __init__(self, pid: int, channel: Channel, output_fd: int, zygote: Zygote) -> None:
        self.pid = pid
        self.output = bytearray()
        self.limits = Limits(10.0, 4 << 30)
        self.on_output: Callable[[bytes], None] | None = None
        self._channel = channel
        self._output_fd = output_fd
        self._zygote = zygote
        self._printed = 0
        self._at_first = 0  # bytes
        self._exact_again = 0.0  # when memory may next be counted exactly, which takes long
        self._asked, self._started = "", (0.0, 0.0)
        self._left = 0.0  # seconds
        self._patience = 0.0
        os.set_blocking(output_fd, False)

    def wait_warm(self) -> bool:
        """Wait until it can take work; False where the process is gone."""
        if self._zygote.mode != "cuda":  # warm by birth, and silent until it is asked
            return not select.select([self._channel], [], [], 0)[0]
        self._channel.settimeout(_START_SECONDS)
        try:
            self._channel.receive()
        except Closed:
            return False
        self._channel.settimeout(None)
        return True

    def begin(self, limits: Limits) -> None:
        """Start the clock."""
        self.limits = limits
        self._at_first = self._at_first or process_control.resident_bytes(self.pid)
        self._left = limits.seconds
        self._patience = _PATIENCE * limits.seconds
        self._printed = 0

    def ask(
        self,
        message: Message,
        fds: tuple[int, ...],
        caller: Channel,
        on_part: Callable[[Message], None] | None = None,
    ) -> tuple[Message, list[int]]:
        """Send one message and wait for its reply: `post`, then `reply`."""
        self.post(message, fds)
        return self.reply(caller, on_part)

    def post(self, message: Message, fds: tuple[int, ...] = ()) -> None:
        """Send one message; its time runs from now. Where nobody listens, `reply` says so."""
        self._asked = str(message["do"])
        self._started = time.monotonic(), process_control.waited_seconds(self.pid)
        with contextlib.suppress(Closed):
            self._channel.send(message, fds)

    def reply(
        self, caller: Channel, on_part: Callable[[Message], None] | None = None
    ) -> tuple[Message, list[int]]:
        """Wait within the limits for the reply to what was posted.

        `on_part` gets what comes before the reply, where the question has an answer in parts.
        Raises `Stopped` (the process group is killed then), and `Closed` where the caller, whose
        channel is watched meanwhile, has gone.
        """
        watched: list[Any] = [self._channel, self._output_fd, caller]
        started, waited = self._started
        looked = time.monotonic()
        while True:
            now = time.monotonic()
            left = self._left - (now - started)
            if left <= 0:
                given_back = max(0.0, process_control.waited_seconds(self.pid) - waited)
                left = min(left + given_back, self._patience - (now - started))
            if left <= 0:
                self.kill(_DEATH_SECONDS)
                raise Stopped("timeout", f"not finished after {self.limits.seconds:g} s")
            ready, _, _ = select.select(watched, [], [], min(left + 0.001, _POLL_SECONDS))
            if self._output_fd in ready and not self._drain():
                watched.remove(self._output_fd)
            if self._channel in ready:
                reply = self._receive(self._asked)
                if on_part and "part" in reply[0]:
                    self._pass_on(reply[0]["part"], on_part)
                    continue
                spent = time.monotonic() - started
                self._patience -= spent
                self._left -= max(0.0, spent - (process_control.waited_seconds(self.pid) - waited))
                return reply
            if caller in ready:
                self._interrupted(caller)
            if now - looked >= _POLL_SECONDS:
                looked = now
                self.check()

    def _receive(self, do: str) -> tuple[Message, list[int]]:
        self._channel.settimeout(_TALK_SECONDS)
        try:
            reply, fds = self._channel.receive()
        except Closed:
            raise self._died() from None
        self._channel.settimeout(None)
        if not messages.believable(do, reply, fds):
            close_all(fds)
            self.kill(_DEATH_SECONDS)
            raise Stopped("tampering", "the process answered what the judge cannot have asked")
        self._drain()
        return reply, fds

    def _pass_on(self, part: Message, on_part: Callable[[Message], None]) -> None:
        try:
            on_part(part)
        except Stopped:
            self.kill(_DEATH_SECONDS)
            raise

    def _interrupted(self, caller: Channel) -> None:
        try:
            message, _ = caller.receive()
        except Closed:
            self.kill(_DEATH_SECONDS)
            raise
        if message.get("do") == "cancel":
            self.kill(_DEATH_SECONDS)
            raise Stopped("cancelled", "stopped on request")

    def _drain(self) -> bool:
        """Take what was printed. False once the other end is closed."""
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
                raise Stopped(
                    "too-much-output", f"more than {self.limits.output_bytes >> 10} KiB printed"
                )
            self.output += data
            if self.on_output:
                self.on_output(data)

    def check(self) -> None:
        """Hold its memory and its processes against the limits. Raises `Stopped`, and kills it."""
        started = process_control.descendants(self.pid)
        if len(started) > self.limits.processes:
            self.kill(_DEATH_SECONDS)
            raise Stopped("too-many-processes", f"more than {self.limits.processes} processes")
        limit = self.limits.memory_bytes
        # A fork shares its parent's pages, and each of the two counts them. What the worker had
        # when it began is left out for that reason; exactly it is counted where that says too much.
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
            raise Stopped("out-of-memory", f"more than {limit >> 30} GiB in use")

    def _died(self) -> Stopped:
        with contextlib.suppress(Stopped):
            self._drain()
        status = self._zygote.exit_status(self.pid)
        self.kill()
        if status is None:
            return Stopped("crash", "the process stopped talking to the judge")
        if os.WIFSIGNALED(status):
            name = signal.Signals(os.WTERMSIG(status)).name
            return Stopped("crash", f"the process was ended by {name}")
        return Stopped("crash", f"the process left with exit status {os.WEXITSTATUS(status)}")

    def kill(self, patience: float = 0.0) -> None:
        """End it and all it started. One that was stopped is waited for, at most `patience` seconds:
        what dies, on a GPU above all, still takes what the next one needs."""
        if self._output_fd < 0:
            return  # done before; by now the number may be another process's
        process_control.kill_group(self.pid, patience)
        self._channel.close()
        with contextlib.suppress(OSError):
            os.close(self._output_fd)
        self._output_fd = -1
        self._zygote.forget(self.pid)
