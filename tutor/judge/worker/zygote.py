"""A warm process that forks the workers of one server: torch and Triton are imported, but nothing of
any exercise.

A template (`tutor.judge.keeper.template`) forks it. Its messages are in
`tutor.judge.processes.worker_messages.helpers`; it reports each worker's end. When the server ends, for
whatever reason, the channel closes. Then the zygote kills every descendant and ends.

Each worker starts in a separate folder, which also holds its temporary files. The folder is removed
when the worker has ended. The zygote holds a lock on the folder around them
(`tutor.judge.processes.stale_folders`).
"""

import contextlib
import os
import select
import shutil
import signal
import sys
import tempfile
import traceback
from typing import TextIO

from tutor.judge.processes import process_control, stale_folders
from tutor.judge.processes.children import Children
from tutor.judge.processes.wire import Channel, Closed, close_all
from tutor.judge.processes.worker_messages.helpers import TO_ZYGOTE, Exited, Forked, ZygoteReady
from tutor.judge.worker import modes


def serve(channel: Channel, mode: str) -> None:
    """Fork on request until the channel ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the owner handles it and ends this process
    children = Children()
    folder, lock = stale_folders.make()
    zygote = _Zygote(channel, mode, children, folder, lock)
    try:
        channel.send(ZygoteReady(os.getpid(), folder))
        zygote.serve()
    except Closed:
        pass  # the server is gone, perhaps between a worker's end and its report
    finally:
        children.end_all()
        shutil.rmtree(folder, ignore_errors=True)


class _Zygote:
    def __init__(
        self, channel: Channel, mode: str, children: Children, folder: str, lock: int
    ) -> None:
        self._channel, self._mode, self._children = channel, mode, children
        self._folder, self._lock = folder, lock
        self._folders: dict[int, str] = {}  # of each worker, by its process id
        self._number = 0

    def serve(self) -> None:
        """Never returns; raises `Closed` when the channel ends."""
        asked = modes.begin(self._mode, self._children)
        while True:
            ready, _, _ = select.select([self._channel, self._children, *asked], [], [])
            if asked and asked[0] in ready and not asked[0].take():
                asked.pop()
            if self._children in ready:
                self._report(self._children.reap())
            if self._channel in ready:
                _, fds = self._channel.receive(TO_ZYGOTE)
                pid = self._fork(fds, [each.fileno() for each in asked])
                close_all(fds)
                self._channel.send(Forked(pid))

    def _fork(self, fds: list[int], others: list[int]) -> int:
        self._number += 1
        folder, zygote = os.path.join(self._folder, str(self._number)), os.getpid()

        def become_worker() -> None:
            self._channel.close()
            close_all([*others, self._lock])
            _become_worker(fds[0], fds[1], self._mode, zygote, folder)

        pid = self._children.fork(become_worker)
        self._folders[pid] = folder
        return pid

    def _report(self, ended: list[tuple[int, int]]) -> None:
        for pid, status in ended:
            if folder := self._folders.pop(pid, ""):
                self._channel.send(Exited(pid, status))
                self._remove(folder)

    def _remove(self, folder: str) -> None:
        """Remove a worker's folder. If it has content, a separate process removes it, because that may
        take long and a verdict may be waiting for the next worker."""
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            pass
        except OSError:
            self._children.fork(lambda: shutil.rmtree(folder, ignore_errors=True))


def _become_worker(channel_fd: int, output_fd: int, mode: str, zygote: int, folder: str) -> None:
    """Set up the forked child: a new session and the standard streams on the pipe; then serve once."""
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        process_control.die_with_parent(zygote)
        process_control.adopt_orphans()  # its child processes stay below it, where they are counted
        process_control.no_core_files()
        os.mkdir(folder, 0o700)
        if mode != "xray":  # (mode "xray" runs in its caller's folder: the path may be relative)
            os.chdir(folder)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(output_fd, 1)
        os.dup2(output_fd, 2)
        os.close(output_fd)
        sys.stdout, sys.stderr = _text(1), _text(2)
        modes.serve(Channel.from_fd(channel_fd), mode)
        status = 0
    except BaseException:
        with contextlib.suppress(BaseException):
            traceback.print_exc()  # to the pipe: the verdict shows it as printed output
    finally:
        os._exit(status)


def _text(fd: int) -> TextIO:
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
