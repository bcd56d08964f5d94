"""The progress of a command: a line on a terminal that disappears at the end."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from tutor.base.errors import Stopped
from tutor.base.terminal import is_terminal
from tutor.base.terminal_text import escape_controls, send_control

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

_APPEARS, _RENEWED = 0.3, 0.5  # seconds before the line appears, and between two drawings


class ProgressLine:
    """A line on a terminal's stderr with the elapsed time and the current step of a command.

    If stderr is no terminal, there is no line; with `log`, each step is printed. ctrl+c inside
    becomes `Stopped`, and its sentence ends with `holds`.
    """

    def __init__(self, doing: str, *, holds: str = "", log: bool = False) -> None:
        self._doing, self._holds = doing, holds
        self._terminal = is_terminal(sys.stderr)
        self._log = log and not self._terminal
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._drawn = 0  # columns of the line that is on the terminal

    def __enter__(self) -> "ProgressLine":
        self._began = time.monotonic()
        if self._terminal:
            threading.Thread(target=self._tick, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._over.set()
        with self._lock:
            self._clear()
        if isinstance(error, KeyboardInterrupt):
            raise Stopped(self._holds) from None

    def say(self, doing: str) -> None:
        """Set the present step; it is drawn when the line is next renewed."""
        self._doing = doing
        if self._log:
            print(f"{doing} …", file=sys.stderr, flush=True)

    def refine(self, doing: str) -> None:
        """Set the present step without logging it, for a step that changes many times a second."""
        self._doing = doing

    def count(self, doing: str, done: int, of: int) -> None:
        """Set the present step with its percentage."""
        self.refine(f"{doing}, {100 * done // max(of, 1)} %")

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Hide the line while something is printed."""
        with self._lock:
            drawn = self._drawn
            self._clear()
            yield
            if drawn:
                self._draw()

    def _tick(self) -> None:
        wait = _APPEARS
        while not self._over.wait(wait):
            with self._lock:
                if not self._over.is_set():
                    self._draw()
            wait = _RENEWED

    def _draw(self) -> None:
        self._clear()
        line = escape_controls(f"{time.monotonic() - self._began:.0f} s: {self._doing} …")
        line = line[: max(_columns() - 1, 1)]
        sys.stderr.write(line)
        sys.stderr.flush()
        self._drawn = len(line)

    def _clear(self) -> None:
        """Overwrite the line with blanks, which every terminal supports, and an echoed ^C with it."""
        if self._drawn:
            blanks = " " * min(self._drawn + len("^C"), _columns() - 1)
            send_control(sys.stderr, f"\r{blanks}\r")
            sys.stderr.flush()
            self._drawn = 0


def interruptible(work: Callable[[], T]) -> T:
    """Return `work()`. It runs in a thread, so that ctrl+c works during a long call of native code;
    after ctrl+c nobody waits for the thread."""
    return start_in_thread(work).result()


def start_in_thread(work: Callable[[], T]) -> "Future[T]":
    """Begin `work` in a thread that does not keep the program alive."""
    from concurrent.futures import Future

    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return done


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
