"""The server's connection to a template: it takes the workers that the template forks."""

import contextlib
import os
import select
import time
from collections import deque
from collections.abc import Callable

from tutor.base.errors import CannotHere
from tutor.judge.processes import process_control, stale_folders
from tutor.judge.processes.limits import Lost
from tutor.judge.processes.wire import Channel, Closed, pair
from tutor.judge.processes.worker_handle import START_SECONDS, WorkerHandle
from tutor.judge.processes.worker_messages.helpers import (
    FROM_TEMPLATE,
    CannotImport,
    Exited,
    Fork,
    Forked,
    TemplateAnswer,
    TemplateReady,
)

_END_SECONDS = 2.0
_ANSWER_SECONDS = 60.0  # for a fork, which may wait for memory or a core
_LOOK_SECONDS = 0.5  # between two looks whether it was stopped


class TemplateLink:
    """The warm process of one mode (see `tutor.judge.keeper.template`), and workers that it forked in
    advance for this server. `connect(mode, channel)` has it take the other end of `channel`."""

    def __init__(self, mode: str, ahead: int, connect: Callable[[str, Channel], None]) -> None:
        self.mode = mode
        self._ahead = ahead
        self._standby: deque[WorkerHandle] = deque()
        self._exits: dict[int, int] = {}
        self._forgotten: set[int] = set()  # killed workers whose exit status nobody asks for
        self._folder = ""  # its workers' temporary files
        self._pid = 0  # of the template, once it is ready
        self._was_stopped = False
        self._ready = False
        self._lost = False
        self.channel, theirs = pair()
        try:
            connect(mode, theirs)
        finally:
            theirs.close()

    def take(self) -> WorkerHandle:
        """Return a fresh worker."""
        self.wait_ready()
        while self._standby:
            worker = self._standby.popleft()
            if worker.wait_warm():
                return worker
            worker.kill()  # it ended while it waited, by a stray signal or for lack of memory
        worker = self._fork()
        if not worker.wait_warm():
            worker.kill()
            if self.mode == "cuda":
                raise CannotHere("the GPU could not be opened; run `tutor doctor`")
            raise CannotHere("the judge's process ended before it had work; see judge.log")
        return worker

    def refill(self) -> None:
        """Fork workers in advance. Called when nobody waits for a verdict."""
        with contextlib.suppress(Lost):  # the next call finds another template
            while self._ready and len(self._standby) < self._ahead:
                self._standby.append(self._fork())

    def is_ready(self) -> bool:
        """Return True if `take` would not have to wait for imports."""
        if not self._ready and select.select([self.channel], [], [], 0)[0]:
            self.wait_ready()
        return self._ready

    def wait_ready(self) -> None:
        if self._ready:
            return
        self.channel.settimeout(START_SECONDS)
        try:
            message, _ = self.channel.receive(FROM_TEMPLATE)
        except Closed:
            self._lost = True
            raise Lost(
                f"the judge's {self.mode} process did not start; see judge.log in the cache folder"
            ) from None
        self.channel.settimeout(None)
        if isinstance(message, CannotImport):
            raise CannotHere(missing(message.error))
        assert isinstance(message, TemplateReady)
        self._folder, self._pid = message.folder, message.pid
        self._ready = True
        self.refill()

    def _fork(self) -> WorkerHandle:
        ours, theirs = pair()
        read, write = os.pipe2(os.O_CLOEXEC)
        try:
            self.channel.send(Fork(), (theirs.fileno(), write))
            while True:
                message = self.next_message()
                if isinstance(message, Forked):
                    pid = message.pid
                    self._exits.pop(pid, None)  # of an earlier process with this number
                    self._forgotten.discard(pid)
                    return WorkerHandle(pid, ours, read, self)
        except Closed:
            self._lost = True
            os.close(read)
            raise Lost("the judge's warm process ended unexpectedly; see judge.log") from None
        finally:
            theirs.close()
            os.close(write)

    def was_stopped(self) -> bool:
        """Return True if a signal stopped the template since this was last asked. It goes on then."""
        self._look_after()
        was, self._was_stopped = self._was_stopped, False
        return was

    def _look_after(self) -> None:
        if process_control.resume(self._pid):
            self._was_stopped = True

    def _wait_for_message(self) -> None:
        """Wait until the template answers. Raises `Closed` if it does not, and ends it then."""
        deadline = time.monotonic() + _ANSWER_SECONDS
        while not self.channel.may_receive(_LOOK_SECONDS):
            self._look_after()
            if time.monotonic() > deadline:
                process_control.kill(self._pid)
                raise Closed("no answer")

    def next_message(self) -> TemplateAnswer | None:
        """Receive one message from the template; keep a worker's exit for `exit_status`. Raises
        `Closed`."""
        self._wait_for_message()
        message, _ = self.channel.receive(FROM_TEMPLATE)
        if isinstance(message, Exited):
            if message.pid in self._forgotten:
                self._forgotten.remove(message.pid)
            else:
                self._exits[message.pid] = message.status
            return None
        return message

    def forget(self, pid: int) -> None:
        """Discard the exit status of a killed worker, whenever it is reported."""
        if self._exits.pop(pid, None) is None:
            self._forgotten.add(pid)

    def exit_status(self, pid: int, wait: float = 1.0) -> int | None:
        """Return the wait status of an ended worker, or None if it does not end in `wait` seconds."""
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
        return not self._lost and not self.channel.has_ended()

    def close(self) -> None:
        """End all workers that it forked for this server. Returns when they have ended."""
        for worker in self._standby:
            worker.kill()
        if self.is_there():
            self.channel.half_close()
            self._has_ended(_END_SECONDS)
        self.channel.close()  # a template that is not warm yet will find nobody
        if self._folder:  # left only by a template that was killed
            stale_folders.remove_tree(self._folder)

    def is_there(self) -> bool:
        """Return True if it is ready and has not ended."""
        with contextlib.suppress(CannotHere):
            return self.is_ready() and self.alive
        return False

    def _has_ended(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        with contextlib.suppress(Closed):
            while (left := deadline - time.monotonic()) > 0:
                if select.select([self.channel], [], [], left)[0]:
                    self.channel.receive(FROM_TEMPLATE)
            return False
        return True


def missing(error: str) -> str:
    """Return the sentence for an import error's text: which package to install."""
    for package in ("torch", "triton", "numpy"):
        if f"'{package}'" in error or f"No module named {package}" in error:
            return f"{package} is not installed in this Python; run `pip install {package}`"
    return f"a package the judge needs cannot be imported: {error}"
