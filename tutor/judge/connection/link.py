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
from collections.abc import Iterator
from pathlib import Path

from tutor.base import config, paths
from tutor.base.errors import CannotHere
from tutor.judge.connection import identity, sandbox
from tutor.judge.connection.runtime_folder import RuntimeFolder, socket_name
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
from tutor.judge.processes.wire import Channel, Closed, pair

MINUTE = 60.0  # seconds
_LOG_BYTES = 1 << 20
_ANSWER_SECONDS = 30.0  # it may be importing torch
_STARTS = 3  # of warm judges, for one call
_children: list[subprocess.Popen[bytes]] = []  # warm judges that this process has started


class JudgeLink:
    """A connection, begun at once. `server` is the id of the server's process once `wait` is over."""

    def __init__(self, course_root: Path, niceness: int, *, cold: bool, preload: bool) -> None:
        self.server = 0
        self._starts = 0
        self._closed = False
        self._keeper: subprocess.Popen[bytes] | None = None  # for this caller alone
        confined = sandbox.is_pack(course_root)
        own = _pack_environment(course_root) if confined else environment()
        surroundings = Surroundings(
            {os.fsencode(name): os.fsencode(value) for name, value in own.items()},
            os.nice(0) + niceness,
            sorted(os.sched_getaffinity(0)),
        )
        kept = 0.0 if cold or confined else MINUTE * config.load_config().config.judge_keep_minutes
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
        while not self.server:
            try:
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
                channel = Channel(_warm(self._hello))
        if channel is None:
            self._hello = _without_sharing(self._hello)
            channel, theirs = pair()
            self._keeper = _start(self._hello, theirs.fileno(), "one")
            theirs.close()
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


def _warm(hello: Hello) -> socket.socket:
    """Connect to the warm judge; start it if there is none."""
    name = socket_name(hello.imports)
    with RuntimeFolder() as folder:
        if connection := folder.connect(name):
            return connection
        with folder.lock():
            if connection := folder.connect(name):
                return connection
            with folder.listen(name) as listening:
                _children[:] = [child for child in _children if child.poll() is None]
                _children.append(_start(hello, listening.fileno(), name))
                connection = folder.connect(name)
    if connection is None:
        raise CannotHere("the warm judge's socket was removed")
    return connection


def _start(hello: Hello, fd: int, whom: str) -> subprocess.Popen[bytes]:
    """Start a keeper that serves the caller at `fd` ("one"), or those that connect to the socket of the
    name `whom`, which listens at `fd`."""
    os.set_inheritable(fd, True)
    log = _open_log()
    given = hello.surroundings.environment
    command = [sys.executable, "-m", "tutor.judge.keeper.main", whom, str(fd), hello.course_root]
    root = Path(hello.course_root)
    if sandbox.is_pack(root) and sandbox.is_available():
        command = sandbox.wrap_command(root, command)
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


def ask_warm_judges(request: AskStatus | AskStop) -> list[Status]:
    """Return what the warm judges of this home and installation hold: one for each set of variables
    that count when torch is imported. Raises `Unsafe`."""
    try:
        with RuntimeFolder() as folder:
            connected = [folder.connect(name) for name in folder.names()]
    except OSError:
        return []
    answers = [_answer(connection, request) for connection in connected if connection]
    return [answer for answer in answers if answer]


def _answer(connection: socket.socket, request: AskStatus | AskStop) -> Status | None:
    with connection, contextlib.suppress(Closed):
        channel = Channel(connection)
        channel.settimeout(_ANSWER_SECONDS)
        channel.send(request)
        answer, _ = channel.receive(FROM_FRONT)
        if isinstance(answer, Status):
            return answer
    return None


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


def _pack_environment(course_root: Path) -> dict[str, str]:
    """Return the environment of a pack's processes: no secrets, and caches of its own."""
    variables = environment()
    if sandbox.is_available():
        variables = sandbox.select_variables(variables)
    for name in ("TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "CUDA_CACHE_PATH"):
        variables[name] = str(sandbox.find_cache_folder(course_root) / Path(variables[name]).name)
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
