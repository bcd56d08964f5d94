"""Typed messages between the judge's processes: length-prefixed msgpack over a Unix socket, with
attached file descriptors for bulk data (SCM_RIGHTS, unix(7)). `tutor.judge.model.message_format` says
what a message is.

One side may be a learner's process, so a reader trusts nothing. The end of the stream and a message
that is too long raise `Closed`. A message of no expected type raises `Malformed`, a subclass of
`Closed`.
"""

import contextlib
import fcntl
import os
import select
import socket
import struct
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from tutor.judge.model.message_format import MessageDecoder, encode_message

MAX_MESSAGE = 32 * 1024 * 1024  # bytes; a submission's source and a case's report are far smaller
_MAX_FDS = 4
_HEADER = struct.Struct("!I")

M = TypeVar("M")


class Closed(Exception):
    """The other side is gone, or sends unreadable data."""


class Malformed(Closed):
    """The other side sent a message of no expected type."""


class Channel:
    """An end of a connected Unix stream socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.received = 0  # bytes so far

    @classmethod
    def from_fd(cls, fd: int) -> "Channel":
        return cls(socket.socket(fileno=fd))

    def fileno(self) -> int:
        return self._sock.fileno()

    def settimeout(self, seconds: float | None) -> None:
        self._sock.settimeout(seconds)

    def send(self, message: object, fds: tuple[int, ...] = ()) -> None:
        """Send a message. Raises `Closed` if the other side no longer listens."""
        data = frame_message(message)
        try:
            socket.send_fds(self._sock, [data[: _HEADER.size]], list(fds))
            self._sock.sendall(data[_HEADER.size :])
        except OSError as error:
            raise Closed(str(error)) from None

    def receive(self, decoder: MessageDecoder[M]) -> tuple[M, list[int]]:
        """Wait for one message of the decoder's types. The caller owns the file descriptors that come
        with it."""
        fds: list[int] = []
        try:
            header, fds, _, _ = socket.recv_fds(self._sock, _HEADER.size, _MAX_FDS)
            header += self._receive_exactly(_HEADER.size - len(header)) if header else b""
            if not header:
                raise Closed("end of stream")
            message = decode_message(self._receive_exactly(length_of(header)), decoder)
        except OSError as error:
            close_all(fds)
            raise Closed(str(error)) from None
        except Closed:
            close_all(fds)
            raise
        return message, fds

    def may_receive(self, seconds: float) -> bool:
        """Wait at most so long until something is there to receive, be it the end. Raises `Closed` if
        another thread has closed this end."""
        try:
            return bool(select.select([self._sock], [], [], seconds)[0])
        except (OSError, ValueError):
            raise Closed("closed here") from None

    def limit_sending(self, seconds: float) -> None:
        """Let `send` raise `Closed` if the other side takes nothing for so long (SO_SNDTIMEO)."""
        limit = struct.pack("ll", int(seconds), 0)
        with contextlib.suppress(OSError):
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)

    def receive_bytes(self, size: int) -> bytes:
        """Wait for `size` bytes that are not part of a message."""
        try:
            return self._receive_exactly(size)
        except OSError as error:
            raise Closed(str(error)) from None

    def _receive_exactly(self, size: int) -> bytes:
        parts = []
        while size:
            part = self._sock.recv(min(size, 1 << 20))
            if not part:
                raise Closed("end of stream")
            parts.append(part)
            self.received += len(part)
            size -= len(part)
        return b"".join(parts)

    def has_ended(self) -> bool:
        """Return True if nothing is left to receive, because the other side is gone; does not wait."""
        try:
            if not select.select([self._sock], [], [], 0)[0]:
                return False  # `recv` would wait for as long as `settimeout` says
            return self._sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except (OSError, ValueError):  # ValueError: closed here
            return True

    def half_close(self) -> None:
        """Tell the other side that nothing more will be sent; what it sends can still be received."""
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_WR)

    def hang_up(self) -> None:
        """End the connection for every process and thread that holds this end, then close it.

        Unlike `close`, this wakes a thread that waits in `receive`.
        """
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        self.close()

    def close(self) -> None:
        self._sock.close()


def frame_message(message: object) -> bytes:
    """Return a message as it travels: its length in four bytes, then msgpack."""
    body = encode_message(message)
    return _HEADER.pack(len(body)) + body


def length_of(header: bytes, most: int = MAX_MESSAGE) -> int:
    """Return the length that a frame's first four bytes give. Raises `Closed` for more than `most`."""
    (size,) = _HEADER.unpack(header)
    if size > most:
        raise Closed(f"message of {size} bytes")
    return int(size)


def decode_message(body: bytes, decoder: MessageDecoder[M]) -> M:
    """Decode the message in `body`. Raises `Malformed`."""
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Malformed(str(error)) from None


def escape_surrogates(text: str) -> str:
    """Replace the characters of `text` that UTF-8 cannot encode (half a surrogate pair) by escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def pair() -> tuple[Channel, Channel]:
    """Make two channels that are connected with each other."""
    ours, theirs = (_above_standard(sock) for sock in socket.socketpair())
    return Channel(ours), Channel(theirs)


def _above_standard(sock: socket.socket) -> socket.socket:
    """Move a descriptor above the standard streams' numbers.

    If a program's standard streams are closed, its sockets get their numbers, and a child with
    redirected streams would lose the sockets.
    """
    if sock.fileno() > 2:
        return sock
    with sock:
        return socket.socket(fileno=fcntl.fcntl(sock, fcntl.F_DUPFD_CLOEXEC, 3))


def close_all(fds: Iterable[int]) -> None:
    """Close descriptors; one that is closed already is no error."""
    for fd in fds:
        with contextlib.suppress(OSError):
            os.close(fd)
