"""The servers that a keeper has forked. One whose caller has left rests until the next caller like it.

A resting server keeps its workers: on a GPU they have opened it, and torch.compile's baselines are
compiled. Both take longer than a verdict.
"""

import os
import select
import time
from dataclasses import dataclass, field

from tutor.judge.keeper import inheritance
from tutor.judge.model.keeper_messages import Hello, Surroundings, Welcome
from tutor.judge.processes import process_control
from tutor.judge.processes.wire import Channel, Closed
from tutor.judge.processes.worker_messages.helpers import NextCaller

# Variables that a shell or sshd sets for itself, which differ from one command to the next.
_OF_THE_SHELL = frozenset(
    b"_ PWD OLDPWD SHLVL COLUMNS LINES SSH_CLIENT SSH_CONNECTION SSH_TTY XDG_SESSION_ID".split()
)
_END_SECONDS = 2.0


@dataclass
class CallerServer:
    """A server and what its caller asked for. `link` is the server's channel to the keeper."""

    pid: int
    link: Channel
    hello: Hello
    since: float = field(default_factory=time.monotonic)
    rests: bool = False

    def close(self) -> None:
        """Let go of it. A server that rests ends then; the others end with their callers."""
        self.link.close()


class Servers:
    """The servers of a keeper; at most one of them rests."""

    def __init__(self) -> None:
        self.all: list[CallerServer] = []

    @property
    def busy(self) -> bool:
        """True while a server has a caller."""
        return any(not server.rests for server in self.all)

    @property
    def _resting(self) -> CallerServer | None:
        return next((server for server in self.all if server.rests), None)

    def remove(self, server: CallerServer) -> None:
        if server in self.all:
            self.all.remove(server)
            server.close()

    def rest(self, server: CallerServer) -> None:
        """Keep a server whose caller has left, instead of the one that was kept."""
        if before := self._resting:
            self.remove(before)
        server.rests = True

    def end_resting(self) -> None:
        """Let the server that rests end, and with it what it started; wait for that for two seconds."""
        if server := self._resting:
            ended = os.pidfd_open(server.pid)
            self.remove(server)
            select.select([ended], [], [], _END_SECONDS)
            os.close(ended)

    def give(self, hello: Hello, channel: Channel, log: int) -> bool:
        """Give a caller to the server that rests. Return False if there is none, or none of a caller
        like this one."""
        server = self._resting
        if server is None or not _alike(server.hello, hello):
            return False
        try:
            server.link.send(NextCaller(), (channel.fileno(), log))
        except Closed:  # it has just been killed
            self.remove(server)
            return False
        server.rests, server.since = False, time.monotonic()
        return True


def _alike(one: Hello, other: Hello) -> bool:
    return (
        one.course_root == other.course_root
        and one.preload == other.preload
        and _kept(one.surroundings) == _kept(other.surroundings)
    )


def _kept(given: Surroundings) -> tuple[dict[bytes, bytes], int, list[int]]:
    named = {n: value for n, value in given.environment.items() if n not in _OF_THE_SHELL}
    return named, given.niceness, given.cores


def serve_caller(hello: Hello, channel: Channel, keeper: Channel, log: int, warm: set[str]) -> None:
    """Become the caller's server."""
    from tutor.judge.server import main as server

    parent = os.getppid()
    os.setsid()
    process_control.die_with_parent(parent)
    process_control.name_process("tutor server")
    inheritance.apply(hello.surroundings)
    process_control.log_to(log)
    channel.send(Welcome(os.getpid()))
    server.serve(channel, keeper, hello.course_root, hello.preload, warm)
