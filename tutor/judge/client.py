"""The judge as a caller sees it: submit, watch events arrive, get a verdict. No torch in here.

A `Judge` owns one server process (see `tutor.judge.server`). It is started on first need, ends when
the `Judge` is closed or its process dies, and is started again if it is lost. Calls block, so an
interface runs them in a thread; `cancel` may be called from any thread.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tutor.judge.verdict import CaseResult, Diagnosis, Timing, Verdict


@dataclass(frozen=True)
class Submission:
    """What a learner hands in. `device`: "auto", "cpu" or "cuda". `seed` replays a verdict."""

    exercise: str
    source: str
    filename: str
    device: str = "auto"
    timing: bool = True
    seed: int | None = None


@dataclass(frozen=True)
class Progress:
    """What is being done now, for a status line: "warming up", "timing"."""

    text: str


@dataclass(frozen=True)
class CellOutput:
    """Text that a running cell printed (stdout and stderr together), as it came."""

    text: str


@dataclass(frozen=True)
class CellDone:
    """A cell has ended. `error` is the learner-readable traceback or the reason it was stopped.

    `values` holds the expressions asked for, as JSON values (`evaluate` of `run_cell`).
    `lost` says that the session's process is gone, and with it what earlier cells had defined.
    """

    ok: bool
    error: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    ms: float = 0.0
    lost: bool = False


Event = CaseResult | Diagnosis | Timing | Progress | Verdict
CellEvent = CellOutput | CellDone | Progress


class Judge:
    def __init__(self, course_root: Path) -> None:
        raise NotImplementedError

    def warm(self) -> None:
        """Start the server and its warm processes in the background; returns at once."""
        raise NotImplementedError

    def submit(self, submission: Submission) -> Iterator[Event]:
        """Judge it. Yields events as they happen; the last one is a `Verdict`.

        A call waits for the one before it to end. Raises `UsageError` for an unknown exercise,
        `CannotHere` where this machine lacks what the exercise needs.
        """
        raise NotImplementedError

    def run_cell(
        self,
        session: str,
        code: str,
        *,
        mode: str = "interpret",
        evaluate: tuple[str, ...] = (),
        seconds: float = 10.0,
    ) -> Iterator[CellEvent]:
        """Run a live cell in the named session; cells of one session share their names.

        Yields `CellOutput` while it runs; the last event is a `CellDone`.
        """
        raise NotImplementedError

    def end_session(self, session: str) -> None:
        """Forget a session and stop its process."""
        raise NotImplementedError

    def cancel(self) -> None:
        """Stop what runs now: its iterator ends with a verdict or `CellDone` that says so."""
        raise NotImplementedError

    def close(self) -> None:
        """End the server and everything it started."""
        raise NotImplementedError
