"""The folder of the warm judges' sockets, which only its owner can enter.

Each installation of the program has its own sockets in each home (`TUTOR_HOME`), so that two of them
do not end each other's judges: one socket for each set of variables and limits that count when torch
is imported (`tutor.judge.connection.identity`). A home is known by the folder in which its judge writes
(`paths.judge_dir`), links resolved; the socket's name holds a digest of it.

A path to a socket is at most 107 bytes long (unix(7)), so a socket is named through an open descriptor
of its folder. That also makes sure that the folder is the one that was checked.
"""

import contextlib
import fcntl
import hashlib
import os
import socket
import stat
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import tutor
from tutor.base import paths
from tutor.base.errors import CannotHere

_LOCK = "judge.lock"
_CREDENTIALS = struct.Struct("3i")  # process, user, group: SO_PEERCRED, unix(7)
BACKLOG = 64
_LOCK_SECONDS = 20.0  # starts and ends take milliseconds


class Unsafe(CannotHere):
    """Another user could reach the folder."""


def socket_name(imports: str) -> str:
    """Name the socket of the judge with these imports (`identity.imports`)."""
    return f"{_prefix()}{imports}.sock"


def _prefix() -> str:
    """Return how the names of the sockets of this installation and home begin."""
    owner = f"{sys.executable}\0{tutor.__file__}\0{paths.judge_dir().resolve()}"
    digest = hashlib.blake2b(os.fsencode(owner), digest_size=8)
    return f"judge-{digest.hexdigest()}-"


class RuntimeFolder:
    """An open folder. Raises `Unsafe`, or `OSError` if there is none and none can be made."""

    def __init__(self) -> None:
        self.path = _path()
        with contextlib.suppress(FileExistsError):
            os.mkdir(self.path, 0o700)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        self._fd = os.open(self.path, flags)
        about = os.fstat(self._fd)
        if about.st_uid != os.getuid() or about.st_mode & 0o077:
            os.close(self._fd)
            raise Unsafe(f"{self.path} is not a folder of yours alone")

    def __enter__(self) -> "RuntimeFolder":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other starts and ends of a warm judge out. Raises `OSError` if that takes too long."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.open(_LOCK, flags, 0o600, dir_fd=self._fd)
        try:
            _take_lock(lock)
            yield
        finally:
            os.close(lock)

    def names(self) -> list[str]:
        """Return the names of the sockets of this installation and home."""
        prefix = _prefix()
        return [name for name in sorted(os.listdir(self._fd)) if name.startswith(prefix)]

    def connect(self, name: str) -> socket.socket | None:
        """Return a connection to the owner of a socket; None if nobody listens. Raises `Unsafe` if
        that is another user."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            about = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
            if about.st_uid != os.getuid() or not stat.S_ISSOCK(about.st_mode):
                raise Unsafe(f"{self.path}/{name} is not a socket of yours")
            connection.connect(self._address(name))
            if peer_user(connection) != os.getuid():
                raise Unsafe(f"another user listens at {self.path}/{name}")
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            return None
        except BaseException:
            connection.close()
            raise
        return connection

    def listen(self, name: str) -> socket.socket:
        """Make a socket; remove one that nobody listens at. Call it inside `lock`."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._fd)
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            made.bind(self._address(name))
            os.chmod(self._address(name), 0o600)  # before `listen`, nobody can connect
            made.listen(BACKLOG)
        except BaseException:
            made.close()
            raise
        return made

    def inode(self, name: str) -> int:
        """Return the inode number of a socket's file; 0 if there is no such file."""
        try:
            return os.stat(name, dir_fd=self._fd, follow_symlinks=False).st_ino
        except OSError:
            return 0

    def unlink(self, name: str) -> None:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self._fd)

    def sweep(self) -> None:
        """Remove the sockets that nobody listens at, of all installations and homes. Call it inside
        `lock`."""
        for name in os.listdir(self._fd):
            with contextlib.suppress(OSError, Unsafe):
                if name.endswith(".sock"):
                    if connection := self.connect(name):
                        connection.close()
                    else:
                        os.unlink(name, dir_fd=self._fd)

    def _address(self, name: str) -> str:
        return f"/proc/self/fd/{self._fd}/{name}"


def peer_user(connection: socket.socket) -> int:
    """Return the user id of the process at the other end."""
    return _peer(connection)[1]


def peer_process(connection: socket.socket) -> int:
    """Return the process at the other end: of a warm judge, its keeper, once that has begun to serve."""
    return _peer(connection)[0]


def _peer(connection: socket.socket) -> tuple[int, int, int]:
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    process, user, group = _CREDENTIALS.unpack(data)
    return process, user, group


def _take_lock(lock: int) -> None:
    """Take a lock (flock(2)). Raises `TimeoutError` if another process keeps it: a stopped one does."""
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError("the lock of the warm judges' folder is taken") from None
        time.sleep(0.01)


def _path() -> str:
    """Return `tutor` in the user's runtime folder, which ends with the login; without one, a folder in
    /tmp."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime):
        with contextlib.suppress(OSError):
            about = os.stat(runtime)
            if about.st_uid == os.getuid() and not about.st_mode & 0o077:
                return os.path.join(runtime, "tutor")
    return f"/tmp/tutor-{os.getuid()}"
