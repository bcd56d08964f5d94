"""The judge's first process: it imports torch once, and forks.

    keeper ─┬─ a server for each caller        (`tutor.judge.server.main`)
            └─ a template for each mode        (`tutor.judge.keeper.template`)
                 └─ a worker for each submission

`tutor.judge.connection.link` starts it as `python -m tutor.judge.keeper.main WHOM FD COURSE_ROOT`. WHOM
is "one" (FD is its only caller, and it ends with it) or the name of a socket (FD listens there for
callers of this user, and the keeper ends when none has come for a while). A caller's first message is in
`tutor.judge.model.keeper_messages`. The keeper never opens a GPU, starts no thread and runs no code of
a course or a learner.
"""

import gc
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tutor.base import paths
from tutor.hardware import presence
from tutor.judge.connection import identity
from tutor.judge.connection.runtime_folder import BACKLOG, RuntimeFolder, peer_user
from tutor.judge.keeper import servers, template
from tutor.judge.keeper.servers import CallerServer, Servers
from tutor.judge.model.keeper_messages import (
    TO_FRONT,
    AskStatus,
    AskStop,
    Elsewhere,
    Held,
    Hello,
    KeeperAnswer,
    NotImported,
    Outdated,
    Status,
)
from tutor.judge.processes import process_control, stale_folders
from tutor.judge.processes.children import Children
from tutor.judge.processes.limits import log_errors
from tutor.judge.processes.template_link import missing
from tutor.judge.processes.wire import Channel, Closed, close_all, pair
from tutor.judge.processes.worker_messages.helpers import (
    TO_KEEPER,
    WARM_TEMPLATE,
    CallerLeft,
    NewServer,
    WantTemplate,
)

_TALK_SECONDS = 1.0  # for a message that has begun
_LOOK_SECONDS = 10.0  # how often the socket and the home are looked for


@dataclass
class _Template:
    pid: int
    channel: Channel
    since: float = field(default_factory=time.monotonic)
    _warm: bool = False

    def is_warm(self) -> bool:
        with suppress(Closed):
            if not self._warm and select.select([self.channel], [], [], 0)[0]:
                self.channel.receive(WARM_TEMPLATE)
                self._warm = True
        return self._warm


class Keeper:
    """Greets callers, and forks a server for each and a template for each mode. `listening` is the
    shared socket `name`; without it, the keeper serves the one caller at `first`."""

    def __init__(
        self, listening: socket.socket | None, name: str = "", first: Channel | None = None
    ) -> None:
        self._listening, self._name = listening, name
        self._shared = listening is not None
        self._inode = 0
        self._home = paths.judge_dir()
        self._has_home = self._home.is_dir()
        self._new: list[Channel] = [first] if first else []
        self._greeted: list[Channel] = []  # the one whose first message is being answered
        self._in_hand: list[int] = []  # descriptors that came with the present message
        self._servers = Servers()
        self._templates: dict[str, _Template] = {}
        self._version = identity.version()
        self._imports = identity.imports(dict(os.environb))
        self._children = Children()
        self._lacks = ""  # why torch cannot be imported
        self._preloaded = False
        self._keep_seconds = 600.0
        self._began = self._left = time.monotonic()
        if listening:
            listening.listen(
                BACKLOG
            )  # from now on callers see this process as the one that listens
            with RuntimeFolder() as folder:
                self._inode = folder.inode(self._name)
                with folder.lock():
                    folder.sweep()

    def serve(self) -> None:
        """Serve until nobody is left and nobody is waited for."""
        while not self._is_over():
            watched: list[Any] = [self._children, *self._new]
            watched += [server.link for server in self._servers.all]
            if self._listening:
                watched.append(self._listening)
            ready, _, _ = select.select(watched, [], [], self._patience())
            if self._children in ready:
                self._bury(self._children.reap())
            for server in [server for server in self._servers.all if server.link in ready]:
                self._serve_server(server)
            for channel in [channel for channel in self._new if channel in ready]:
                self._new.remove(channel)
                self._greet(channel)
            if self._listening in ready:
                self._accept()
            elif self._listening and not ready:
                self._look_at_socket()

    # --- its end ----------------------------------------------------------------------------------

    def _is_over(self) -> bool:
        if self._servers.busy or self._new:
            return False
        if self._listening and time.monotonic() >= self._end():
            self._withdraw()  # a caller may have come at this moment
        return not self._listening and not self._new

    def _end(self) -> float:
        return self._left + self._keep_seconds

    def _patience(self) -> float | None:
        if not self._listening:
            return None
        if self._servers.busy or self._new:
            return _LOOK_SECONDS
        return min(_LOOK_SECONDS, max(0.0, self._end() - time.monotonic()))

    def _withdraw(self) -> None:
        """Listen no longer, but serve those who have connected. Another keeper may start at once."""
        assert self._listening is not None
        with suppress(OSError), RuntimeFolder() as folder, folder.lock():
            if folder.inode(self._name) == self._inode:
                folder.unlink(self._name)
            self._accept()
        self._listening.close()
        self._listening = None

    def _look_at_socket(self) -> None:
        """Withdraw if the socket's file is gone (the user has logged out, or another one is in place),
        or the home was deleted."""
        try:
            with RuntimeFolder() as folder:
                gone = folder.inode(self._name) != self._inode
        except OSError:
            gone = True
        if gone or (self._has_home and not self._home.is_dir()):
            self._withdraw()

    def close(self) -> None:
        if self._listening:
            self._withdraw()
        self._servers.end_resting()
        for known in self._templates.values():
            known.channel.close()
        self._children.end_all()

    # --- callers ----------------------------------------------------------------------------------

    def _accept(self) -> None:
        assert self._listening is not None
        self._listening.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                connection, _ = self._listening.accept()
                connection.setblocking(True)
                if peer_user(connection) == os.getuid():
                    self._new.append(Channel(connection))
                else:
                    connection.close()

    def _greet(self, channel: Channel) -> None:
        """Answer a caller's first message."""
        channel.settimeout(_TALK_SECONDS)
        self._greeted.append(channel)
        try:
            message, self._in_hand = channel.receive(TO_FRONT)
            channel.settimeout(None)
            match message:
                case Hello():
                    self._welcome(message, channel)
                case AskStatus():
                    channel.send(self._status())
                case AskStop():
                    self._stop(message, channel)
        except Closed:
            pass  # it has left
        finally:
            self._put_down()
            self._greeted.remove(channel)
            channel.close()

    def _put_down(self) -> None:
        close_all(self._in_hand)
        self._in_hand = []

    def _stop(self, message: AskStop, channel: Channel) -> None:
        if self._listening:
            self._withdraw()
        channel.send(self._status())
        if message.now:
            for server in self._servers.all:
                process_control.kill_group(server.pid)
            for known in self._templates.values():
                process_control.kill(known.pid)  # one that is stopped sees no channel's end

    def _welcome(self, hello: Hello, channel: Channel) -> None:
        if answer := self._refusal(hello):
            channel.send(answer)
            return
        if not self._in_hand:
            raise Closed("no log")
        if hello.keep_seconds:
            self._keep_seconds = hello.keep_seconds
        for server in self._servers.all:
            process_control.resume(server.pid)  # a worker may have stopped it
        if self._servers.give(hello, channel, self._in_hand[0]):
            return
        log = self._in_hand.pop(0)
        link, theirs = pair()
        warm = {mode for mode, known in self._templates.items() if known.is_warm()}

        def become_server() -> None:
            link.close()
            self._close_all_but(channel)
            servers.serve_caller(hello, channel, theirs, log, warm)

        pid = self._children.fork(become_server)
        theirs.close()
        os.close(log)
        self._servers.all.append(CallerServer(pid, link, hello))

    def _refusal(self, hello: Hello) -> KeeperAnswer | None:
        """Return why the caller is not served here, or None."""
        if self._shared and hello.version != self._version:
            if self._listening:
                self._withdraw()
            return Outdated()
        if self._shared and (
            hello.imports != self._imports or hello.surroundings.niceness < os.nice(0)
        ):
            return Elsewhere("other variables or limits of its shell count when torch is imported")
        if hello.preload and not self._preloaded:
            self._preload()
        return NotImported(self._lacks) if self._lacks else None

    def _preload(self) -> None:
        try:
            import torch

            torch.set_num_threads(1)  # no thread pool may exist when this process forks
            self._freeze()
            for mode in (
                ("cuda", "interpret") if presence.has_nvidia() else ("interpret", "offline")
            ):
                self._template(mode)  # it imports Triton on another core
            # Imported here so that no server has to.
            from tutor.base import config  # noqa: F401
            from tutor.course.catalog import course  # noqa: F401
            from tutor.course.reading import exercise  # noqa: F401
            from tutor.judge.server import access_map, judge_run  # noqa: F401
        except ImportError as error:
            self._lacks = missing(str(error))
            if self._listening:
                self._withdraw()  # once the package is installed, another one starts
        self._preloaded = True
        self._freeze()

    def _freeze(self) -> None:
        gc.collect()
        gc.freeze()  # the children's collectors must not touch shared pages

    # --- servers ----------------------------------------------------------------------------------

    def _serve_server(self, server: CallerServer) -> None:
        """Connect the template that the server asks for, or note that its caller has left."""
        try:
            message, self._in_hand = server.link.receive(TO_KEEPER)
        except Closed:
            return self._part(server)
        match message:
            case WantTemplate():
                self._connect_template(server, message.mode)
            case CallerLeft():
                self._servers.rest(server)
                self._left = time.monotonic()
        return None

    def _connect_template(self, server: CallerServer, mode: str) -> None:
        new = NewServer(server.hello.surroundings)
        try:
            self._template(mode).channel.send(new, (self._in_hand[0],))
        except Closed:
            # It has just ended; its server asks again.
            self._forget_template(mode)
        finally:
            self._put_down()

    def _part(self, server: CallerServer) -> None:
        self._servers.remove(server)
        self._left = time.monotonic()

    def _template(self, mode: str) -> _Template:
        """Return the template of a mode; fork it if there is none."""
        known = self._templates.get(mode)
        if known is not None and not known.channel.has_ended():
            process_control.resume(known.pid)  # a worker may have stopped it
            return known
        self._forget_template(mode)
        ours, theirs = pair()

        def become_template() -> None:
            ours.close()
            self._close_all_but(theirs)
            process_control.die_with_parent(keeper)
            process_control.name_process(f"tutor:{mode}")
            template.serve(theirs, mode)

        keeper = os.getpid()
        pid = self._children.fork(become_template)
        theirs.close()
        self._templates[mode] = _Template(pid, ours)
        return self._templates[mode]

    def _forget_template(self, mode: str) -> None:
        if known := self._templates.pop(mode, None):
            known.channel.close()

    def _bury(self, ended: list[tuple[int, int]]) -> None:
        gone = {pid for pid, _ in ended}
        for server in [server for server in self._servers.all if server.pid in gone]:
            self._part(server)
        for mode in [mode for mode, known in self._templates.items() if known.pid in gone]:
            self._forget_template(mode)

    def _close_all_but(self, kept: Channel) -> None:
        """Close what a child must not hold: others would not see the ends of their connections."""
        others = [*self._new, *self._greeted, *(server.link for server in self._servers.all)]
        others += [known.channel for known in self._templates.values()]
        for channel in others:
            if channel is not kept:
                channel.close()
        close_all(self._in_hand)
        if self._listening:
            self._listening.close()

    def _status(self) -> Status:
        now, size = time.monotonic(), process_control.proportional_bytes
        held = [
            Held(
                "resting" if server.rests else "server",
                server.pid,
                size(server.pid),
                now - server.since,
            )
            for server in self._servers.all
        ]
        held += [
            Held(mode, known.pid, size(known.pid), now - known.since)
            for mode, known in self._templates.items()
        ]
        ends = None if self._servers.busy else max(0.0, self._end() - now)
        return Status(
            os.getpid(),
            self._version.split()[0],
            now - self._began,
            size(os.getpid()),
            self._keep_seconds,
            ends,
            held,
        )


def _end(*_: object) -> None:
    raise SystemExit(0)


def main() -> None:
    """Serve until the last caller has left for long enough, then end the process."""
    whom, fd = sys.argv[1], int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    process_control.name_process("tutor keeper")
    if whom == "one":
        keeper = Keeper(None, first=Channel.from_fd(fd))
    else:
        keeper = Keeper(socket.socket(fileno=fd), whom)
    signal.signal(signal.SIGTERM, _end)
    with log_errors("removing what another judge left"):
        stale_folders.sweep_folders()
    try:
        keeper.serve()
    finally:
        keeper.close()
        os._exit(0)  # torch's own cleanup would take most of a second


if __name__ == "__main__":
    main()
