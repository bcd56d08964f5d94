"""The children of a process that forks: it notices their ends, and ends strays."""

import contextlib
import os
import signal
import traceback
from collections.abc import Callable

from tutor.judge.processes import process_control


class Children:
    """Readable (`select`) when a child has ended; then call `reap`.

    A process has one such object: it takes the process's SIGCHLD and adopts orphans.
    """

    def __init__(self) -> None:
        self.known: set[int] = set()
        self._wake, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._pipe = (self._wake, wake)
        process_control.adopt_orphans()
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake)

    def fileno(self) -> int:
        return self._wake

    def fork(self, child: Callable[[], None]) -> int:
        """Fork. The child calls `child`, which has to end the process; the parent gets its id."""
        pid = os.fork()
        if pid:
            self.known.add(pid)
            return pid
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            for fd in self._pipe:
                os.close(fd)
            child()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def reap(self) -> list[tuple[int, int]]:
        """Return the children that have ended, each with its wait status. End the processes that they
        left behind: those became children of this process."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake, 4096)
        ended = []
        with contextlib.suppress(ChildProcessError):
            while (one := os.waitpid(-1, os.WNOHANG))[0]:
                ended.append(one)
        self.known -= {pid for pid, _ in ended}
        self.end_strays()
        return ended

    def end_strays(self) -> None:
        for stray in set(process_control.children(os.getpid())) - self.known:
            for pid in (*process_control.descendants(stray), stray):
                process_control.kill(pid)

    def end_all(self) -> None:
        """Kill every descendant of this process, and wait until its children have ended."""
        for pid in process_control.descendants(os.getpid()):
            process_control.kill(pid)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)
