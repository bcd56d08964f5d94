"""A caller's connection to a server process of the judge.

The warm judge of this home (`TUTOR_HOME`) serves it, and is started if there is none. A caller that
asks for a cold start, whose settings keep no judge, or whom the warm judge cannot serve has a keeper
for itself, which ends with the caller.
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tutor.base import config, paths
from tutor.base.errors import CannotHere
from tutor.judge.connection import identity
from tutor.judge.connection.runtime_folder import RuntimeFolder, peer_process, socket_name
from tutor.judge.model.caller_messages import FROM_SERVER, ServerEvent, ServerRequest
from tutor.judge.model.keeper_messages import (
    FROM_FRONT,
    AskStatus,
    AskStop,
    Elsewhere,
    Hello,
    NotImported,
    Outdated,
    Status,
    Surroundings,
    Welcome,
)
from tutor.judge.processes import process_control
from tutor.judge.processes.wire import Channel, Closed, pair

MINUTE = 60.0  # seconds
_LOG_BYTES = 1 << 20
_ANSWER_SECONDS = 30.0  # it may be importing torch
_KEEPER = "tutor.judge.keeper.main"
_STOP_SECONDS = 5.0  # then it is killed
_WELCOME_SECONDS = 300.0  # the same, from a cold disk, on a machine that is busy
_SEND_SECONDS = 60.0
LOOK_SECONDS = 1.0  # of silence, after which a caller looks whether the judge was stopped
_STARTS = 3  # of warm judges, for one call
_children: list[subprocess.Popen[bytes]] = []  # warm judges that this process has started


class Silent(NamedTuple):
    """A warm judge that does not answer; its process."""

    pid: int


class JudgeLink:
    """A connection, begun at once. `server` is the id of the server's process once `wait` is over."""

    def __init__(self, course_root: Path, niceness: int, *, cold: bool, preload: bool) -> None:
        self.server = 0
        self._warm_keeper = 0  # the process that serves this caller beside others; 0 for none
        self._starts = 0
        self._closed = False
        self._keeper: subprocess.Popen[bytes] | None = None  # for this caller alone
        own = environment()
        surroundings = Surroundings(
            {os.fsencode(name): os.fsencode(value) for name, value in own.items()},
            os.nice(0) + niceness,
            sorted(os.sched_getaffinity(0)),
        )
        kept = 0.0 if cold else MINUTE * config.load_config().config.judge_keep_minutes
        self._hello = Hello(
            identity.version(),
            identity.imports(surroundings.environment),
            str(course_root),
            surroundings,
            kept,
            preload,
        )
        self.channel = self._connect()

    def waiting(self) -> Iterator[str]:
        """Wait until a server answers; nothing is said meanwhile. Raises `Closed` or `CannotHere`."""
        self.wait()
        yield from ()

    def wait(self) -> None:
        """Wait until a server answers. Raises `Closed` or `CannotHere`."""
        deadline = time.monotonic() + _WELCOME_SECONDS
        while not self.server:
            try:
                while not self.channel.may_receive(LOOK_SECONDS):
                    self.look_after()
                    if time.monotonic() > deadline:
                        raise CannotHere(
                            "the judge has not answered for minutes; `tutor judge stop --now` ends it, "
                            f"and the next command starts another; its log is {log_path()}"
                        )
                answer, _ = self.channel.receive(FROM_FRONT)
            except Closed:
                # The warm judge has just ended, by chance or by a signal.
                if self._closed or self._keeper is not None:
                    raise
                answer = Outdated()
            match answer:
                case Welcome():
                    self.server = answer.server
                case NotImported():
                    raise CannotHere(answer.reason)
                case Outdated():
                    self._reconnect(cold=self._starts >= _STARTS)
                case Elsewhere():
                    self._reconnect(cold=True)
                case _:
                    raise Closed("an answer that nobody asked for")

    def begin_call(self, request: ServerRequest) -> None:
        """Do nothing: the answers of this machine's judge need no bounds."""

    def receive(self) -> ServerEvent:
        """Receive an event of the present call. Raises `Closed`."""
        event, _ = self.channel.receive(FROM_SERVER)
        return event

    def look_after(self) -> None:
        """Let the judge's processes go on if a signal has stopped them, as a submission can."""
        if self.server:
            process_control.resume(self.server)
        keeper = process_control.parent(self.server) if self.server else self._warm_keeper
        if self._keeper is not None:
            keeper = self._keeper.pid
        process_control.resume(keeper)

    def describe_loss(self) -> str:
        """Say that the server has ended."""
        return f"the judge's server ended unexpectedly; its log is {log_path()}"

    def is_lost(self) -> bool:
        """Return True if the server has ended."""
        return self.channel.has_ended()

    def close(self) -> None:
        """End the connection, and with it the server and everything that it started, unless `Leave` was
        sent before. For a cold start, wait for that."""
        self._closed = True
        self.channel.hang_up()  # a thread may be waiting in a call
        if (keeper := self._keeper) is None:
            return
        if not self.server:  # still importing torch, for seconds; nothing to clean up
            keeper.kill()
        try:
            keeper.wait(5)
        except subprocess.TimeoutExpired:
            keeper.kill()
            keeper.wait()

    def _reconnect(self, cold: bool) -> None:
        if cold:
            self._hello = _without_sharing(self._hello)
        before, self.channel = self.channel, self._connect()
        before.close()
        if self._closed:
            self.close()

    def _connect(self) -> Channel:
        self._starts += 1
        channel = None
        if self._hello.keep_seconds:
            with contextlib.suppress(OSError, CannotHere):  # no folder that is ours alone
                connection, self._warm_keeper = _warm(self._hello)
                channel = Channel(connection)
        if channel is None:
            self._hello = _without_sharing(self._hello)
            channel, theirs = pair()
            self._keeper = _start(self._hello, theirs.fileno(), "one")
            theirs.close()
        channel.limit_sending(_SEND_SECONDS)
        log = _open_log()
        try:
            channel.send(self._hello, (log,))
        except Closed:
            pass  # `wait` reports it
        finally:
            os.close(log)
        return channel


def _without_sharing(hello: Hello) -> Hello:
    return Hello(
        hello.version, hello.imports, hello.course_root, hello.surroundings, 0, hello.preload
    )


def _warm(hello: Hello) -> tuple[socket.socket, int]:
    """Connect to the warm judge; start it if there is none. Returns its process, too."""
    name = socket_name(hello.imports)
    with RuntimeFolder() as folder:
        if connection := folder.connect(name):
            return connection, peer_process(connection)
        with folder.lock():
            if connection := folder.connect(name):
                return connection, peer_process(connection)
            with folder.listen(name) as listening:
                _children[:] = [child for child in _children if child.poll() is None]
                _children.append(_start(hello, listening.fileno(), name))
                connection = folder.connect(name)
    if connection is None:
        raise CannotHere("the warm judge's socket was removed")
    return connection, _children[-1].pid


def _start(hello: Hello, fd: int, whom: str) -> subprocess.Popen[bytes]:
    """Start a keeper that serves the caller at `fd` ("one"), or those that connect to the socket of the
    name `whom`, which listens at `fd`."""
    os.set_inheritable(fd, True)
    log = _open_log()
    given = hello.surroundings.environment
    command = [sys.executable, "-m", _KEEPER, whom, str(fd), hello.course_root]
    try:
        return subprocess.Popen(
            command,
            pass_fds=(fd,),
            env=given,
            cwd="/",
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    finally:
        os.close(log)


def ask_warm_judges(request: AskStatus | AskStop) -> list[Status | Silent]:
    """Return what the warm judges of this home and installation hold: one for each set of variables
    that count when torch is imported. One that does not answer is ended if it is to stop now. Raises
    `Unsafe`."""
    try:
        with RuntimeFolder() as folder:
            connected = [folder.connect(name) for name in folder.names()]
    except OSError:
        return []
    answers = [_answer(connection, request) for connection in connected if connection]
    return [answer for answer in answers if answer]


def _answer(connection: socket.socket, request: AskStatus | AskStop) -> Status | Silent | None:
    now = isinstance(request, AskStop) and request.now
    with connection, contextlib.suppress(Closed):
        keeper = peer_process(connection)
        process_control.resume(keeper)
        channel = Channel(connection)
        channel.settimeout(_STOP_SECONDS if now else _ANSWER_SECONDS)
        channel.send(request)
        if channel.may_receive(_STOP_SECONDS if now else _ANSWER_SECONDS):
            answer, _ = channel.receive(FROM_FRONT)
            return answer if isinstance(answer, Status) else None
        if now and _is_keeper(keeper):
            process_control.kill_group(keeper)
        return Silent(keeper)
    return None


def _is_keeper(pid: int) -> bool:
    """Return True for a keeper: the caller that started one counts as the listener until it serves."""
    try:
        return _KEEPER.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def environment() -> dict[str, str]:
    """Return the environment of the judge's processes: caches are in the program's own folder."""
    package = str(Path(__file__).resolve().parents[3])
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(
            [package, *(name for name in others if name != package and name)]
        ),
        "PYTHONSAFEPATH": "1",  # a torch.py in the learner's folder is not the torch meant here
        "TRITON_CACHE_DIR": str(paths.cache_dir() / "triton"),
        "TORCHINDUCTOR_CACHE_DIR": str(paths.cache_dir() / "inductor"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "CUDA_CACHE_PATH": str(paths.cache_dir() / "cuda"),
    }
    variables.pop("TRITON_INTERPRET", None)
    return variables


def log_path() -> Path:
    """Return the path of the file to which the judge's processes write what they print."""
    return paths.judge_dir() / "judge.log"


def _open_log() -> int:
    """Open the log of the server's errors, for bug reports; without a writable folder there is none."""
    path = log_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        if path.exists() and path.stat().st_size > _LOG_BYTES:
            flags |= os.O_TRUNC
        return os.open(path, flags, 0o600)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
