"""The judge's interface for callers: submit, receive events, get a verdict. No torch in here.

A `Judge` owns one server process (see `tutor.judge.server.main`). The first call starts it. It ends
when the `Judge` is closed or its process dies, and is started again if it is lost. Calls block, so
an interface runs them in a thread; `cancel` may be called from any thread.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from tutor.base import paths
from tutor.base.errors import CannotHere, UsageError
from tutor.judge.model.access_map import AccessMap
from tutor.judge.model.caller_messages import (
    FROM_SERVER,
    AccessRequest,
    Cancel,
    CellEnded,
    CellRequest,
    Done,
    EndSession,
    InputsRequest,
    LinksEvent,
    PrepareRequest,
    Ready,
    Refused,
    ServerRequest,
    SpecsEvent,
    Submission,
    SubmitRequest,
    WarmRequest,
    XrayCall,
)
from tutor.judge.model.events import CellDone, CellFigure, CellOutput, Progress, Started, XrayEvent
from tutor.judge.model.verdict import CaseResult, Diagnosis, Timing, Verdict
from tutor.judge.processes.wire import Channel, Closed, pair, readable
from tutor.xray.model.stages import Link, Request

__all__ = [
    "CellDone", "CellEvent", "CellFigure", "CellOutput", "Event", "Judge", "Progress", "Started",
    "Submission", "environment",
]  # fmt: skip

_LOG_BYTES = 1 << 20


Event = CaseResult | Diagnosis | Timing | Started | Progress | Verdict
CellEvent = CellOutput | CellDone | CellFigure | Progress


class Judge:
    """The judge of one caller. Use it as a context manager, or call `close`.

    `niceness` (nice(2)) is for a caller that must stay responsive on a machine with few cores.
    """

    def __init__(self, course_root: Path, niceness: int = 0) -> None:
        self.course_root = course_root
        self.niceness = niceness
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._calls = threading.Lock()  # one call at a time
        self._starting = threading.Lock()
        self._running = False
        self._heard = False  # whether this server has sent a message yet
        self._start_ms = 0.0
        self._cells = 0

    def __enter__(self) -> "Judge":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Start the server and its warm processes in the background; returns at once."""
        with self._starting:
            if self._process is None or self._process.poll() is not None:
                self._start()

    def wait_warm(self, device: str = "auto") -> None:
        """Wait until a submission would be judged without delay. Raises `CannotHere`."""
        for _ in self._call(WarmRequest(device=device)):
            pass

    def submit(self, submission: Submission) -> Iterator[Event]:
        """Judge it. Yields events as they happen; the last one is a `Verdict`.

        A call waits for the previous one to end. Raises `UsageError` for an unknown exercise,
        `CannotHere` if this machine lacks what the exercise needs.
        """
        asked = time.perf_counter()
        waited = 0.0
        for event in self._call(SubmitRequest(_encodable(submission))):
            if isinstance(event, Started):
                waited = (time.perf_counter() - asked) * 1e3
            if isinstance(event, Verdict) and event.latency_ms:
                event = replace(event, latency_ms=replace(event.latency_ms, start=waited))
            yield event

    def prepare(self, exercise: str) -> None:
        """Compile torch.compile's version of an exercise, the baseline of its time, in the
        background. Raises `UsageError` for an unknown exercise, `CannotHere` without torch."""
        for _ in self._call(PrepareRequest(exercise)):
            pass

    def run_cell(
        self,
        session: str,
        code: str,
        *,
        mode: str = "interpret",
        evaluate: tuple[str, ...] = (),
        seconds: float = 10.0,
        exercise_kind: str = "",
        filename: str = "",
        echo: bool = False,
        trace: bool = False,
    ) -> Iterator[CellEvent]:
        """Run a live cell in the named session; cells of one session share their names.

        With `exercise_kind`, in the mode in which exercises of that kind are judged here, and
        `mode` does not count. `filename` is what tracebacks call the cell; with `echo`, the value of
        a last line that is an expression is printed, as at Python's prompt. With `trace`, the
        interpreter checks and keeps every access of the cell's kernels.

        Yields `CellOutput` while it runs; the last event is a `CellDone`.
        """
        self._cells += 1
        yield from self._call(
            CellRequest(
                session=session,
                code=readable(code),
                mode=mode,
                evaluate=evaluate,
                seconds=seconds,
                exercise_kind=exercise_kind,
                filename=readable(filename) or f"cell_{self._cells}.py",
                echo=echo,
                trace=trace,
            )
        )

    def inputs(self, exercise: str) -> tuple[str, ...]:
        """Return the exercise's timed inputs as `tutor xray --input` takes them: `("f32[4096]",
        "1e-05")`.

        Raises `UsageError` for an unknown exercise, `CannotHere` without torch.
        """
        return tuple(chain.from_iterable(self._call(InputsRequest(exercise))))

    def access(self, exercise: str, source: str, filename: str, case: str = "") -> AccessMap:
        """Return the elements that each program of the kernel loads and stores, seen by the
        interpreter.

        `case`: the name of one of the exercise's cases, or "" for the most informative one. Raises
        `UsageError` if there is none, `CannotHere` without torch and Triton.
        """
        asked = AccessRequest(exercise, readable(source), readable(filename), case)
        found: list[AccessMap] = list(self._call(asked))
        if not found:
            raise CannotHere("the judge was closed before it had an access map")
        return found[0]

    def warm_xray(self) -> None:
        """Wait until an X-ray would begin without delay. Raises `CannotHere`."""
        for _ in self._call(WarmRequest(mode="lower")):
            pass

    def xray(self, request: Request) -> Iterator[XrayEvent]:
        """Look at every stage of a function or kernel on its way to the device.

        Yields `Stage`, `Link` and `Failure` as they are found; the last one is an `XrayDone`.
        Raises `UsageError` for a request that is wrong, perhaps after some stages.
        """
        yield from self._call(XrayCall(request))

    def end_session(self, session: str) -> None:
        """Forget a session and stop its process."""
        if self._process is not None:
            for _ in self._call(EndSession(session)):
                pass

    def cancel(self) -> None:
        """Stop the current call: its iterator ends with a verdict or `CellDone` that says so."""
        channel = self._channel
        if self._running and channel is not None:
            with contextlib.suppress(Closed):
                channel.send(Cancel())

    def close(self) -> None:
        """End the server and everything it started."""
        channel, process = self._channel, self._process
        self._channel = self._process = None
        if channel:
            channel.hang_up()  # a thread may be waiting in a call
        if process:
            if not self._heard:  # still importing torch, for seconds; nothing to clean up
                process.kill()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    # --- the server -------------------------------------------------------------------------------

    def _call(self, request: ServerRequest) -> Iterator[Any]:
        with self._calls:
            self.warm()
            channel = self._channel
            assert channel is not None
            try:
                channel.send(request)
                self._running = True
                while True:
                    event, _ = channel.receive(FROM_SERVER)
                    self._heard = True
                    match event:
                        case Ready():
                            continue
                        case Done():
                            return
                        case Refused():
                            used = event.status == UsageError.exit_status
                            raise (UsageError if used else CannotHere)(event.reason)
                        case LinksEvent():
                            yield from (Link(*each) for each in event.links)
                        case CellEnded():
                            yield _cell_done(event)
                        case SpecsEvent():
                            yield event.specs
                        case _:
                            yield event.decoded()
            except Closed:
                if self._channel is None:  # closed during the call
                    return
                self.close()
                raise CannotHere(
                    f"the judge's server ended unexpectedly; its log is {_log_path()}"
                ) from None
            except GeneratorExit:
                # The caller stopped listening in the middle: the rest of this call's messages must
                # not be taken for the answer to the next one.
                self.close()
                raise
            finally:
                self._running = False

    def _start(self) -> None:
        ours, theirs = pair()
        os.set_inheritable(theirs.fileno(), True)
        log = _open_log()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tutor.judge.server.main", str(theirs.fileno()),
                 str(self.course_root), str(self.niceness)],
                pass_fds=(theirs.fileno(),), env=environment(), cwd="/", start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        finally:
            theirs.close()
            if log != subprocess.DEVNULL:
                os.close(log)
        self._channel, self._heard = ours, False


def _encodable(submission: Submission) -> Submission:
    """Escape characters that UTF-8 cannot encode (half a surrogate pair)."""
    texts: dict[str, Any] = {
        name: readable(each) for name, each in vars(submission).items() if isinstance(each, str)
    }
    return replace(submission, **texts)


def _cell_done(ended: CellEnded) -> CellDone:
    values = json.loads(ended.values)
    return CellDone(ended.ok, ended.error, values, ended.ms, ended.lost, ended.trace)


def environment() -> dict[str, str]:
    """Return the environment of the judge's processes: caches are in the program's own folder."""
    package = str(Path(__file__).resolve().parents[2])
    others = os.environ.get("PYTHONPATH")
    found = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([package, *([others] if others else [])]),
        "PYTHONSAFEPATH": "1",  # a torch.py in the learner's folder is not the torch meant here
        "TRITON_CACHE_DIR": str(paths.cache_dir() / "triton"),
        "TORCHINDUCTOR_CACHE_DIR": str(paths.cache_dir() / "inductor"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "CUDA_CACHE_PATH": str(paths.cache_dir() / "cuda"),
    }
    found.pop("TRITON_INTERPRET", None)
    return found


def _log_path() -> Path:
    return paths.cache_dir() / "judge.log"


def _open_log() -> int:
    """Open the log of the server's errors, for bug reports; without a writable folder there is none."""
    path = _log_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        if path.exists() and path.stat().st_size > _LOG_BYTES:
            flags |= os.O_TRUNC
        return os.open(path, flags, 0o600)
    except OSError:
        return subprocess.DEVNULL
