"""The judge as a caller sees it: submit, watch events arrive, get a verdict. No torch in here.

A `Judge` owns one server process (see `tutor.judge.server.main`). It is started on first need, ends when
the `Judge` is closed or its process dies, and is started again if it is lost. Calls block, so an
interface runs them in a thread; `cancel` may be called from any thread.
"""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from tutor.base import paths
from tutor.base.errors import CannotHere, UsageError
from tutor.judge import xray_client
from tutor.judge.model import access_map, verdict
from tutor.judge.model.access_map import AccessMap
from tutor.judge.model.verdict import CaseResult, Diagnosis, Timing, Verdict
from tutor.judge.processes.wire import Channel, Closed, Message, pair
from tutor.judge.xray_client import XrayDone, XrayEvent
from tutor.xray.model.stages import Request

_LOG_BYTES = 1 << 20


@dataclass(frozen=True)
class Submission:
    """What a learner hands in. `device`: "auto", "cpu" or "cuda". `seed` replays a verdict. `profile`
    asks for the times of single kernels. `target` is the GPU that a kernel is compiled for without
    it ("sm_90"); "": as the settings say."""

    exercise: str
    source: str
    filename: str
    device: str = "auto"
    timing: bool = True
    seed: int | None = None
    profile: bool = False
    target: str = ""


@dataclass(frozen=True)
class Progress:
    """What is being done now, for a status line: "warming up", "timing"."""

    text: str


@dataclass(frozen=True)
class Started:
    """The judge is warm and has the submission; `device` as in the verdict."""

    device: str


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


Event = CaseResult | Diagnosis | Timing | Started | Progress | Verdict
CellEvent = CellOutput | CellDone | Progress
_E = TypeVar("_E")

_READERS: dict[str, Any] = {
    "CaseResult": verdict.case_from_json,
    "Diagnosis": verdict.diagnosis_from_json,
    "Timing": verdict.timing_from_json,
    "Verdict": verdict.verdict_from_json,
    "Started": lambda record: Started(**record),
    "Progress": lambda record: Progress(**record),
    "Inputs": lambda record: record["specs"],
    "AccessMap": access_map.from_json,
    "CellOutput": lambda record: CellOutput(**record),
    "CellDone": lambda record: CellDone(**record),
    "XrayPart": xray_client.events_of,
    "XrayDone": lambda record: (XrayDone(**record),),
}


class Judge:
    """One caller's judge. Use it as a context manager, or call `close`.

    `niceness` (nice(2)) is for a caller that must stay responsive where cores are few.
    """

    def __init__(self, course_root: Path, niceness: int = 0) -> None:
        self.course_root = course_root
        self.niceness = niceness
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._calls = threading.Lock()  # one call at a time
        self._starting = threading.Lock()
        self._running = False
        self._heard = False  # whether this server has said anything yet
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
        for _ in self._call({"do": "warm", "device": device}):
            pass

    def submit(self, submission: Submission) -> Iterator[Event]:
        """Judge it. Yields events as they happen; the last one is a `Verdict`.

        A call waits for the one before it to end. Raises `UsageError` for an unknown exercise,
        `CannotHere` where this machine lacks what the exercise needs.
        """
        asked = time.perf_counter()
        waited = 0.0
        for event in self._call({"do": "submit", **vars(submission)}):
            if isinstance(event, Started):
                waited = (time.perf_counter() - asked) * 1e3
            if isinstance(event, Verdict) and event.latency_ms:
                event = replace(event, latency_ms=replace(event.latency_ms, start=waited))
            yield event

    def prepare(self, exercise: str) -> None:
        """Have torch.compile's version of an exercise, which a time is compared with, compiled in the
        background. Raises `UsageError` for an unknown exercise, `CannotHere` without torch."""
        for _ in self._call({"do": "prepare", "exercise": exercise}):
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
    ) -> Iterator[CellEvent]:
        """Run a live cell in the named session; cells of one session share their names.

        With `exercise_kind`, in the mode in which exercises of that kind are judged here, and
        `mode` does not count. `filename` is what tracebacks call the cell; with `echo`, the value of
        a last line that is an expression is printed, as at Python's prompt.

        Yields `CellOutput` while it runs; the last event is a `CellDone`.
        """
        self._cells += 1
        yield from self._call(
            {
                "do": "cell", "session": session, "code": code, "mode": mode,
                "evaluate": list(evaluate), "seconds": seconds, "exercise_kind": exercise_kind,
                "filename": filename or f"cell_{self._cells}.py", "echo": echo,
            }
        )  # fmt: skip

    def inputs(self, exercise: str) -> tuple[str, ...]:
        """What an exercise is timed on, as `tutor xray --input` takes it: `("f32[4096]", "1e-05")`.

        Raises `UsageError` for an unknown exercise, `CannotHere` without torch.
        """
        found = self._call({"do": "inputs", "exercise": exercise})
        return tuple(str(spec) for specs in found for spec in specs)

    def access(self, exercise: str, source: str, filename: str, case: str = "") -> AccessMap:
        """Which elements each program of the kernel loads and stores, seen by the interpreter.

        `case`: the name of one of the exercise's cases, or "" for the most telling one. Raises
        `UsageError` where there is none, `CannotHere` without torch and Triton.
        """
        asked = {"exercise": exercise, "source": source, "filename": filename, "case": case}
        found: list[AccessMap] = list(self._call({"do": "access", **asked}))
        if not found:
            raise CannotHere("the judge was closed before it had an access map")
        return found[0]

    def warm_xray(self) -> None:
        """Wait until an X-ray would begin without delay. Raises `CannotHere`."""
        for _ in self._call({"do": "warm", "mode": "lower"}):
            pass

    def xray(self, request: Request) -> Iterator[XrayEvent]:
        """Look at every stage of a function or kernel on its way to the device.

        Yields `Stage`, `Link` and `Failure` as they are found; the last one is an `XrayDone`.
        Raises `UsageError` for a request that is wrong, perhaps after some stages.
        """
        for events in self._call({"do": "xray", "request": request.to_json()}):
            yield from events

    def end_session(self, session: str) -> None:
        """Forget a session and stop its process."""
        if self._process is not None:
            for _ in self._call({"do": "end_session", "session": session}):
                pass

    def cancel(self) -> None:
        """Stop what runs now: its iterator ends with a verdict or `CellDone` that says so."""
        channel = self._channel
        if self._running and channel is not None:
            with contextlib.suppress(Closed):
                channel.send({"do": "cancel"})

    def close(self) -> None:
        """End the server and everything it started."""
        channel, process = self._channel, self._process
        self._channel = self._process = None
        if channel:
            channel.hang_up()  # a thread may be waiting in a call
        if process:
            if not self._heard:  # still importing torch, for seconds; nothing to put away
                process.kill()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    # --- the server -------------------------------------------------------------------------------

    def _call(self, message: Message) -> Iterator[Any]:
        with self._calls:
            self.warm()
            channel = self._channel
            assert channel is not None
            try:
                channel.send(message)
                self._running = True
                while True:
                    reply, _ = channel.receive()
                    self._heard = True
                    if "done" in reply:
                        return
                    if "refused" in reply:
                        kind = UsageError if reply.get("status") == 2 else CannotHere
                        raise kind(str(reply["refused"]))
                    reader = _READERS.get(str(reply.get("event")))
                    if reader:
                        yield reader(reply["record"])
            except Closed:
                if self._channel is None:  # closed while the call was under way
                    return
                self.close()
                raise CannotHere(
                    f"the judge's server ended unexpectedly; its log is {_log_path()}"
                ) from None
            except GeneratorExit:
                # The caller stopped listening in the middle: what is left of this call must not
                # be taken for the answer to the next one.
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


def environment() -> dict[str, str]:
    """What the judge's processes are started with: caches in the program's own folder."""
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
    """The server's own complaints, for bug reports; a folder that cannot be written costs them."""
    path = _log_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        if path.exists() and path.stat().st_size > _LOG_BYTES:
            flags |= os.O_TRUNC
        return os.open(path, flags, 0o600)
    except OSError:
        return subprocess.DEVNULL
