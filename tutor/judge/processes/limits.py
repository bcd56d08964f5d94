"""Limits of a worker, and the error that ends a call that exceeds them."""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from tutor.base.errors import CannotHere
from tutor.judge.processes.stack_report import Frame

OUTPUT_LIMIT = 1 << 20  # bytes that a learner's code may print
PROCESS_LIMIT = 64  # processes that it may start; compilers and their helpers need a handful
PATIENCE = 5.0


class WorkerStopped(Exception):
    """The worker did not finish its task. `code` is one of the contract's diagnosis codes
    ("timeout", "crash", "out-of-memory", "too-much-output", "too-many-processes", "tampering") or
    "cancelled". `stack`: where its main thread was, the innermost frame first, if that is known."""

    def __init__(self, code: str, message: str, stack: tuple[Frame, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self._stack = stack

    def line_of(self, filename: str) -> int | None:
        """Return the line of that file that was running or had called; None where it was in none."""
        named = filename.encode("ascii", "backslashreplace").decode("ascii")  # as a stack names it
        return next((frame.line for frame in self._stack if frame.filename == named), None)


@contextlib.contextmanager
def tolerate_stop() -> Iterator[None]:
    """Suppress `WorkerStopped` around a probe: earlier findings stay valid if the probe exceeds its
    limits. Raises `WorkerStopped` with the code "cancelled" only."""
    try:
        yield
    except WorkerStopped as stop:
        if stop.code == "cancelled":
            raise


@contextlib.contextmanager
def log_errors(what: str) -> Iterator[None]:
    """Suppress an error of work done in advance, and print it on stderr, the judge's log.

    The code that needs the result raises the error again. The log shows that the work never succeeds.
    """
    try:
        yield
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        print(f"{what} failed: {type(error).__name__}: {lines[0]}", file=sys.stderr, flush=True)


class Lost(CannotHere):
    """The template has died. The caller can connect another one."""


@dataclass
class WorkerLimits:
    """Limits of one task. Which time counts against `seconds` is the `TaskClock`'s to say."""

    seconds: float
    memory_bytes: int
    output_bytes: int = OUTPUT_LIMIT
    processes: int = PROCESS_LIMIT
