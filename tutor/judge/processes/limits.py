"""WorkerLimits of a worker, and how a call that exceeds them ends."""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from tutor.base.errors import CannotHere

OUTPUT_LIMIT = 1 << 20  # bytes a learner's code may print
PROCESS_LIMIT = 64  # processes it may start; compilers and their helpers are a handful
PATIENCE = 5.0


class Stopped(Exception):
    """The worker did not finish its task. `code` is one of the contract's diagnosis codes
    ("timeout", "crash", "out-of-memory", "too-much-output", "too-many-processes", "tampering") or
    "cancelled"."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@contextlib.contextmanager
def tolerated() -> Iterator[None]:
    """Suppress `Stopped` around a probe: earlier findings stay valid when it exceeds its limits.
    Raises `Stopped` with the code "cancelled" only."""
    try:
        yield
    except Stopped as stop:
        if stop.code == "cancelled":
            raise


@contextlib.contextmanager
def logged(what: str) -> Iterator[None]:
    """Suppress an error of work done ahead of need, and leave a line on stderr, the judge's log.

    Who needs the result meets the error again; without the line nobody sees that it never succeeds.
    """
    try:
        yield
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        print(f"{what} failed: {type(error).__name__}: {lines[0]}", file=sys.stderr, flush=True)


class Lost(CannotHere):
    """The zygote has died; another one can be started."""


@dataclass
class WorkerLimits:
    """`seconds` count while the worker has a task and could run: the time it waits for a core on a
    busy machine is given back, up to `PATIENCE` times the limit."""

    seconds: float
    memory_bytes: int
    output_bytes: int = OUTPUT_LIMIT
    processes: int = PROCESS_LIMIT
