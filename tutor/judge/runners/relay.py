"""The runner's side: it connects the stdin and stdout of its launch command to the judge of its machine.

`tutor judge serve` calls it. Nothing else may write to stdout, so that is moved away first.
"""

import os
import platform
import signal
import sys
import threading
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import tutor
from tutor.base.errors import CannotHere, UsageError
from tutor.hardware import presence
from tutor.judge.connection.link import LOOK_SECONDS, JudgeLink
from tutor.judge.model.caller_messages import Refused
from tutor.judge.model.runner_messages import (
    MARK,
    PROTOCOL,
    TO_RUNNER,
    Greeted,
    messages_digest,
)
from tutor.judge.processes.wire import (
    Closed,
    decode_message,
    escape_surrogates,
    frame_message,
    length_of,
)

_PACKAGES = ("torch", "triton", "numpy")
_CHUNK = 1 << 16
_LONGEST_GREETING = 1 << 12  # bytes


def serve(course_root: Path) -> None:
    """Serve the caller at stdin and stdout until it leaves. Raises `UsageError` if it is none."""
    out = os.dup(1)
    os.dup2(2, 1)
    signal.signal(signal.SIGHUP, lambda *_: os._exit(0))  # the server sees its end
    # A job of Slurm ends with its caller, so nothing may stay for another one. The judge starts while
    # the caller greets.
    link = JudgeLink(course_root, 0, cold="SLURM_JOB_ID" in os.environ, preload=True)
    try:
        size = length_of(_exactly(0, 4), _LONGEST_GREETING)
        greeting = decode_message(_exactly(0, size), TO_RUNNER)
        _write(out, MARK + frame_message(_make_greeting()))
        if (greeting.protocol, greeting.version) != (PROTOCOL, tutor.__version__):
            return
        try:
            link.wait()
        except CannotHere as error:
            _write(out, frame_message(Refused(escape_surrogates(str(error)), error.exit_status)))
            return
        threading.Thread(target=_copy_requests, args=(0, link), daemon=True).start()
        _copy_answers(link, out)
    except Closed as error:
        raise UsageError(f"what stdin holds is not a caller's greeting ({error})") from None
    finally:
        link.close()


def _make_greeting() -> Greeted:
    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = ""
    root = Path(tutor.__file__).parents[1]
    return Greeted(
        PROTOCOL,
        tutor.__version__,
        messages_digest(),
        escape_surrogates(platform.node()),
        escape_surrogates(sys.executable),
        escape_surrogates(str(root)) if (root / ".git").exists() else "",
        presence.has_nvidia(),
        versions,
    )


def _copy_requests(source: int, link: JudgeLink) -> None:
    """Copy bytes to the judge until one side ends; then end the connection."""
    with suppress(OSError, Closed):
        while data := os.read(source, _CHUNK):
            _write(link.channel.fileno(), data)
    link.close()


def _copy_answers(link: JudgeLink, target: int) -> None:
    """Copy bytes from the judge until one side ends; look after the judge while it is silent."""
    with suppress(OSError, Closed):
        while True:
            while not link.channel.may_receive(LOOK_SECONDS):
                link.look_after()
            data = os.read(link.channel.fileno(), _CHUNK)
            if not data:
                return
            _write(target, data)


def _exactly(fd: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = os.read(fd, size - len(data))
        if not part:
            raise Closed("end of stream")
        data += part
    return data


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
