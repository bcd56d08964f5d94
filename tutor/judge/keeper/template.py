"""A process that is warm for one mode and forks workers: torch and Triton are imported, but nothing of
any exercise.

The keeper forks it and hands it the channel of each server that wants workers of this mode
(`NewServer`); the server then asks for them one by one (`Fork`). The messages are in
`tutor.judge.processes.worker_messages.helpers`. A worker gets what is its caller's after the fork:
environment, niceness, cores, random numbers, a session and a folder. It inherits no channel but its
own.

When a server ends, for whatever reason, its channel closes. Then its workers are killed, and those of
other servers are not. When the keeper ends, the template ends, and with it all workers.

Each worker starts in a separate folder, which also holds its temporary files. The folder is removed
when the worker has ended. The template holds a lock on the folder around those of one server
(`tutor.judge.processes.stale_folders`).
"""

import contextlib
import gc
import os
import select
import signal
import sys
import tempfile
import traceback
from dataclasses import dataclass, field
from typing import TextIO

from tutor.judge.keeper import inheritance
from tutor.judge.model.keeper_messages import Surroundings
from tutor.judge.processes import process_control, stack_report, stale_folders
from tutor.judge.processes.children import Children
from tutor.judge.processes.wire import Channel, Closed, close_all, escape_surrogates
from tutor.judge.processes.worker_messages.helpers import (
    FORKS,
    TO_TEMPLATE,
    CannotImport,
    Exited,
    Forked,
    NewServer,
    TemplateReady,
    TemplateWarm,
)
from tutor.judge.worker import modes

_REFUSING_SECONDS = 1.0
_TALK_SECONDS = 5.0  # for a message that has begun: the other servers wait meanwhile


def serve(keeper: Channel, mode: str) -> None:
    """Warm up, then fork on request until the channel to the keeper ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        modes.warm(mode)
    except ImportError as error:
        _refuse(keeper, escape_surrogates(str(error)))
        return
    gc.collect()
    gc.freeze()  # the children's collectors must not touch shared pages
    template = _Template(keeper, mode)
    try:
        keeper.send(TemplateWarm())
        template.serve()
    except Closed:
        pass
    finally:
        template.close()


def _refuse(keeper: Channel, error: str) -> None:
    """Answer the servers that wait; the keeper starts another template for later ones."""
    while select.select([keeper], [], [], _REFUSING_SECONDS)[0]:
        try:
            _, fds = keeper.receive(TO_TEMPLATE)
        except Closed:
            return
        server = Channel.from_fd(fds[0])
        with contextlib.suppress(Closed):
            server.send(CannotImport(error))
        server.close()


@dataclass
class _Server:
    """A server that asks for workers. `workers` are the folders of those that live, by process id."""

    channel: Channel
    surroundings: Surroundings
    folder: str
    lock: int
    workers: dict[int, str] = field(default_factory=dict)
    forked: int = 0
    has_left: bool = False


class _Template:
    def __init__(self, keeper: Channel, mode: str) -> None:
        self._keeper, self._mode = keeper, mode
        self._children = Children()
        self._servers: list[_Server] = []
        self._asked = modes.begin_ahead(mode, self._children)

    def serve(self) -> None:
        """Never returns; raises `Closed` when the channel to the keeper ends."""
        while True:
            present = [server for server in self._servers if not server.has_left]
            watched = [self._keeper, self._children, *self._asked]
            ready, _, _ = select.select([*watched, *(server.channel for server in present)], [], [])
            if self._asked and self._asked[0] in ready and not self._asked[0].take():
                self._asked.pop()
            if self._children in ready:
                for pid, status in self._children.reap():
                    self._report(pid, status)
            for server in [server for server in present if server.channel in ready]:
                self._answer(server)
            if self._keeper in ready:
                message, fds = self._keeper.receive(TO_TEMPLATE)
                self._welcome(message, fds)

    def close(self) -> None:
        self._children.end_all()
        for server in self._servers:
            stale_folders.remove_tree(server.folder)

    def _welcome(self, message: NewServer, fds: list[int]) -> None:
        channel = Channel.from_fd(fds[0])
        channel.settimeout(_TALK_SECONDS)
        given = message.surroundings
        try:
            folder, lock = stale_folders.make_folder(inheritance.temporary_folder(given))
        except OSError:  # a full disk; the server says that the process did not start
            traceback.print_exc()
            channel.close()
            return
        server = _Server(channel, given, folder, lock)
        self._servers.append(server)
        self._tell(server, TemplateReady(folder, os.getpid()))

    def _answer(self, server: _Server) -> None:
        """Fork the worker that the server asks for, or note that it has left."""
        fds: list[int] = []
        try:
            _, fds = server.channel.receive(FORKS)
            server.channel.send(Forked(self._fork(server, fds)))
        except Closed:
            self._part(server)
        except OSError:
            # No memory or no process is left: that is the end of this server's workers only.
            traceback.print_exc()
            self._part(server)
        finally:
            close_all(fds)

    def _tell(self, server: _Server, message: object) -> None:
        if server.has_left:
            return
        try:
            server.channel.send(message)
        except Closed:  # the server is gone, perhaps between a worker's end and its report
            self._part(server)

    def _fork(self, server: _Server, fds: list[int]) -> int:
        server.forked += 1
        folder, template = os.path.join(server.folder, str(server.forked)), os.getpid()

        def become_worker() -> None:
            self._let_go()
            _become_worker(fds[0], fds[1], self._mode, template, folder, server.surroundings)

        pid = self._children.fork(become_worker)
        server.workers[pid] = folder
        return pid

    def _let_go(self) -> None:
        """Close what a worker must not hold: the channels of the template and of every server."""
        self._keeper.close()
        for server in self._servers:
            server.channel.close()
        close_all(
            [*(server.lock for server in self._servers), *(asked.fileno() for asked in self._asked)]
        )

    # --- ends -------------------------------------------------------------------------------------

    def _report(self, pid: int, status: int) -> None:
        """Tell a worker's server that it has ended, and remove its folder."""
        for server in [server for server in self._servers if pid in server.workers]:
            folder = server.workers.pop(pid)
            self._tell(server, Exited(pid, status))
            self._remove(folder)
            self._forget_if_done(server)

    def _part(self, server: _Server) -> None:
        """Kill the workers of a server that has left. It is forgotten once they have ended."""
        server.has_left = True
        for pid in server.workers:
            process_control.kill_group(pid)
        self._forget_if_done(server)

    def _forget_if_done(self, server: _Server) -> None:
        if server.has_left and not server.workers and server in self._servers:
            self._servers.remove(server)
            self._remove(server.folder)
            server.channel.close()  # the server waits for this
            os.close(server.lock)

    def _remove(self, folder: str) -> None:
        """Remove a folder. If it has content, a separate process removes it, because that may take long
        and a verdict may be waiting for the next worker."""
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            pass
        except OSError:
            # If no process is left, a later start of the judge sweeps.
            with contextlib.suppress(OSError):
                self._children.fork(lambda: self._remove_tree(folder))

    def _remove_tree(self, folder: str) -> None:
        self._let_go()
        stale_folders.remove_tree(folder)


def _become_worker(
    channel_fd: int,
    output_fd: int,
    mode: str,
    template: int,
    folder: str,
    surroundings: Surroundings,
) -> None:
    """Set up the forked child: the standard streams on the pipe, a new session, what is its caller's;
    then serve once."""
    status = 1
    try:
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        process_control.log_to(output_fd)
        sys.stdout, sys.stderr = _text(1), _text(2)
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        process_control.die_with_parent(template)
        process_control.adopt_orphans()  # its child processes stay below it, where they are counted
        process_control.no_core_files()
        process_control.name_process(f"tutor {mode}")
        inheritance.apply(surroundings)
        stack_report.answer_when_asked()
        modes.adopt_caller(mode)
        os.mkdir(folder, 0o700)
        os.chdir(folder)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        modes.serve(Channel.from_fd(channel_fd), mode)
        status = 0
    except BaseException:
        with contextlib.suppress(BaseException):
            traceback.print_exc()  # to the pipe: the verdict shows it as printed output
    finally:
        os._exit(status)


def _text(fd: int) -> TextIO:
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
