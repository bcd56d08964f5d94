"""The judge's interface for callers: submit, receive events, get a verdict. No torch in here.

A `Judge` has one server process (see `tutor.judge.server.main`). The first call has it started: by the
warm judge of this user if there is one (`tutor.judge.connection.link`), or on another machine by a
runner (`tutor.judge.runners.remote_link`). It ends when the `Judge` is closed, and the next call has
another one started if it is lost. Calls block, so an interface runs them in a thread; `cancel` may be
called from any thread.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tutor.base.errors import CannotHere, JudgeLost, make_refusal
from tutor.base.runner_table import Runner
from tutor.hardware import presence
from tutor.judge.connection.link import LOOK_SECONDS, JudgeLink, environment
from tutor.judge.model.access_map import AccessMap
from tutor.judge.model.caller_messages import (
    AccessRequest,
    Cancel,
    CasesRequest,
    CellRequest,
    Done,
    EndSession,
    InputsRequest,
    Leave,
    PrepareRequest,
    ProgramRequest,
    Ready,
    Refused,
    ServerRequest,
    Submission,
    TimedInputs,
    WarmRequest,
)
from tutor.judge.model.case_table import CaseTable
from tutor.judge.model.events import (
    CellDone,
    CellFigure,
    CellOutput,
    Progress,
    Provisional,
    Started,
    XrayEvent,
)
from tutor.judge.model.verdict import CaseResult, Diagnosis, Timing, Verdict, WrongExample
from tutor.judge.model.witness import ProgramRecord
from tutor.judge.processes.wire import Closed, escape_surrogates
from tutor.judge.runners.remote_link import RemoteLink
from tutor.judge.spec import Work
from tutor.xray.model.stages import Links, Request

__all__ = [
    "CellDone",
    "CellEvent",
    "CellFigure",
    "CellOutput",
    "Event",
    "Judge",
    "Progress",
    "Provisional",
    "Started",
    "Submission",
    "environment",
]


Event = CaseResult | Diagnosis | Timing | Started | Progress | Provisional | Verdict
CellEvent = CellOutput | CellDone | CellFigure | Progress


class Judge:
    """The judge of one caller. Use it as a context manager, or call `close`.

    `niceness` (nice(2)) is for a caller that must stay responsive on a machine with few cores. With
    `cold`, all processes are started for this caller alone. `preload` is False for X-rays of a cold
    start, which import only what the learner's file needs. With a `runner` the judge is on another
    machine, with that machine's own course; the other options do not count then.
    """

    def __init__(
        self,
        course_root: Path,
        niceness: int = 0,
        *,
        cold: bool = False,
        preload: bool = True,
        runner: Runner | None = None,
    ) -> None:
        self.course_root = course_root
        self.niceness = niceness
        self.cold, self.preload = cold, preload
        self.runner = runner
        self._link: JudgeLink | RemoteLink | None = None
        self._links = 0  # that were begun so far
        self._sessions: dict[str, int] = {}  # session of cells -> the link that it began on
        self._calls = threading.Lock()  # one call at a time
        self._starting = threading.Lock()
        self._running = False
        self._stop_asked = False  # of the present call
        self._handing = threading.local()  # `on` in a thread that hands on a verdict
        self._cells = 0

    def __enter__(self) -> "Judge":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Have the server and its warm processes started in the background; returns at once."""
        with self._starting:
            if self._link is not None and self._link.is_lost():
                self.close()
            if self._link is None:
                self._links += 1
                self._link = (
                    RemoteLink(self.runner)
                    if self.runner
                    else JudgeLink(
                        self.course_root, self.niceness, cold=self.cold, preload=self.preload
                    )
                )

    def use(self, runner: Runner | None) -> None:
        """Judge on another machine from the next call on; None: on this one. Ends a running call."""
        if runner != self.runner:
            self.runner = runner
            link, self._link = self._link, None
            if link:  # a launch command may take a second to end
                threading.Thread(target=link.close, daemon=True).start()

    @property
    def may_have_gpu(self) -> bool:
        """True if the judge's machine shows an NVIDIA GPU, or a runner has not answered yet."""
        link = self._link
        if isinstance(link, RemoteLink):
            return link.greeted is None or link.greeted.nvidia
        return self.runner is not None or presence.has_nvidia() or presence.is_wsl()

    @property
    def server(self) -> int:
        """The id of the server's process; 0 before the first call."""
        return self._link.server if self._link else 0

    def wait_warm(self, device: str = "auto", mode: str = "") -> None:
        """Wait until a submission would be judged without delay; an X-ray with the mode "lower". Raises
        `CannotHere`."""
        for _ in self._call(WarmRequest(mode=mode, device=device)):
            pass

    def warm_ahead(self, mode: str) -> None:
        """Begin to warm up the processes of a cell's mode. Raises `CannotHere`."""
        for _ in self._call(WarmRequest(mode=mode, wait=False)):
            pass

    def submit(self, submission: Submission) -> Iterator[Event]:
        """Judge it. Yields events as they happen; the last one is a `Verdict`, with which the call has
        ended: who stops there has not left it half-way.

        A call waits for the previous one to end. Raises `UsageError` for an unknown exercise,
        `CannotHere` if this machine lacks what the exercise needs.
        """
        asked = time.perf_counter()
        waited = 0.0
        verdict: Verdict | None = None
        for event in self._call(_encodable(submission)):
            if isinstance(event, Started):
                waited = (time.perf_counter() - asked) * 1e3
            if isinstance(event, Verdict):
                verdict = event
            else:
                yield event
        if verdict and verdict.latency_ms:
            verdict = replace(verdict, latency_ms=replace(verdict.latency_ms, start=waited))
        if verdict:
            self._handing.on = True
            try:
                yield verdict
            finally:
                self._handing.on = False

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
        trace: bool = False,
    ) -> Iterator[CellEvent]:
        """Run a live cell in the named session; cells of one session share their names.

        With `trace`, the interpreter checks and keeps every access of the cell's kernels.

        Yields `CellOutput` while it runs; the last event is a `CellDone`.
        """
        self._cells += 1
        filename = f"cell_{self._cells}.py"
        return self._run_cell(
            CellRequest(
                session, escape_surrogates(code), filename, seconds, mode, evaluate, trace=trace
            )
        )

    def run_scratch(
        self, session: str, code: str, *, kind: str, filename: str, seconds: float, echo: bool
    ) -> Iterator[CellEvent]:
        """Run a scratch cell as `run_cell` does, in the mode in which exercises of `kind` are judged.

        `filename` is what tracebacks call the cell. With `echo`, the value of a last line that is an
        expression is printed, as at Python's prompt.
        """
        return self._run_cell(
            CellRequest(
                session,
                escape_surrogates(code),
                escape_surrogates(filename),
                seconds,
                exercise_kind=kind,
                echo=echo,
            )
        )

    def _run_cell(self, request: CellRequest) -> Iterator[CellEvent]:
        session = request.session
        self.warm()
        if self._sessions.get(session, self._links) != self._links:
            del self._sessions[session]
            said = "Another judge began. Earlier cells will run again first."
            yield CellDone(ok=False, error=said, lost=True)
            return
        for event in self._call(request):
            if not isinstance(event, Progress):  # a judge that never began has nothing to lose
                self._sessions[session] = self._links
            yield event

    def inputs(self, exercise: str) -> tuple[str, ...]:
        """Return the exercise's timed inputs as `tutor xray --input` takes them: `("f32[4096]",
        "1e-05")`.

        Raises `UsageError` for an unknown exercise, `CannotHere` without torch.
        """
        return tuple(spec for event in self._call(InputsRequest(exercise)) for spec in event.specs)

    def work(self, exercise: str) -> Work:
        """Return the least that any right program must do for these inputs. Raises as `inputs`."""
        events: list[TimedInputs] = list(self._call(InputsRequest(exercise)))
        if not events:
            raise CannotHere("the judge was closed before it had an answer")
        return events[0].work

    def access(
        self,
        exercise: str,
        source: str,
        filename: str,
        case: str = "",
        example: WrongExample | None = None,
    ) -> AccessMap:
        """Return the elements that each program of the kernel loads and stores, seen by the
        interpreter.

        `case`: the name of one of the exercise's cases, `access_map.EXAMPLE` for the `example` of the
        last verdict on this text, or "" for the example or else the most informative case. Raises
        `UsageError` if there is none, `CannotHere` without torch and Triton.
        """
        asked = AccessRequest(
            exercise, escape_surrogates(source), _place_of(filename), case, example
        )
        maps: list[AccessMap] = list(self._call(asked))
        if not maps:
            raise CannotHere("the judge was closed before it had an access map")
        return maps[0]

    def record_program(self, exercise: str, source: str, filename: str) -> ProgramRecord:
        """Return what each program of the kernel loads and stores on one case, recorded in two ways.

        Raises `UsageError` if there is no kernel that ran, `CannotHere` without torch and Triton.
        """
        asked = ProgramRequest(exercise, escape_surrogates(source), _place_of(filename))
        records: list[ProgramRecord] = list(self._call(asked))
        if not records:
            raise CannotHere("the judge was closed before it had seen the program")
        return records[0]

    def play_cases(
        self, exercise: str, texts: tuple[str, ...], own: str = "", *, shown: bool = True
    ) -> Iterator[Progress | CaseTable]:
        """Play a learner's cases on the exercise's right and wrong answers.

        `texts` are cases as `breaking.case_text` reads them, `own` the learner's program, "" without
        one. Without `shown` nobody asks which mistakes the exercise's own cases show. The last event is
        the table. Raises `UsageError` for an unknown exercise, one that takes no cases, and a text that
        is no case.
        """
        texts = tuple(escape_surrogates(text) for text in texts)
        yield from self._call(CasesRequest(exercise, texts, escape_surrogates(own), shown))

    def xray(self, request: Request) -> Iterator[XrayEvent]:
        """Look at every stage of a function or kernel on its way to the device.

        Yields `Stage`, `Link` and `Failure` as they are found; the last one is an `XrayDone`.
        Raises `UsageError` for a request that is wrong, perhaps after some stages.
        """
        yield from self._call(request)

    def end_session(self, session: str) -> None:
        """Forget a session and stop its process."""
        self._sessions.pop(session, None)
        if self._link is not None:
            for _ in self._call(EndSession(session)):
                pass

    def cancel(self) -> None:
        """Stop the current call: its iterator ends with a verdict or `CellDone` that says so.

        A thread that holds the verdict of a call stops nothing: the current call is another's.
        """
        if getattr(self._handing, "on", False):
            return
        self._stop_asked = True  # first: a request that is not sent yet is cancelled once it is
        link = self._link
        if self._running and link is not None:
            with contextlib.suppress(Closed):
                link.channel.send(Cancel())
        elif isinstance(link, RemoteLink) and link.greeted is None:
            self.close()  # it may wait in a queue for hours

    def close(self) -> None:
        """End the server and everything it started, or leave it to the warm judge between calls."""
        link, self._link = self._link, None
        if link:
            if not self._running:
                with contextlib.suppress(Closed):
                    link.channel.send(Leave())
            link.close()

    # --- the server -------------------------------------------------------------------------------

    def _call(self, request: ServerRequest) -> Iterator[Any]:
        with self._calls:
            self._stop_asked = False
            # A runner's job can be preempted, and its network can fail: the call is made again, once.
            # That does not help a cell, because the names that it needs are gone.
            again = self.runner is not None and not isinstance(request, CellRequest)
            while True:
                self.warm()
                link = self._link
                assert link is not None
                try:
                    yield from self._ask(link, request)
                    return
                except Closed:
                    if self._link is None:  # closed during the call
                        return
                    lost = link.describe_loss()
                    self.close()
                    if not again:
                        raise JudgeLost(lost) from None
                    again = False
                    if isinstance(request, Submission):
                        yield Progress(f"{lost}; submitting it again")
                except (GeneratorExit, KeyboardInterrupt):
                    # The caller stopped listening in the middle, or ctrl+c stopped it: the rest of this
                    # call's messages must not be taken for the answer to the next one.
                    self.close()
                    raise
                finally:
                    self._running = False

    def _ask(self, link: JudgeLink | RemoteLink, request: ServerRequest) -> Iterator[Any]:
        """Make a call once. Raises `Closed` if the link or its sense is lost."""
        for said in link.waiting():
            if isinstance(request, Submission | CellRequest):
                yield Progress(said)
        link.begin_call(request)
        link.look_after()
        link.channel.send(request)
        self._running = True
        if self._stop_asked:  # while the judge was starting
            link.channel.send(Cancel())
        while True:
            while not link.channel.may_receive(LOOK_SECONDS):
                link.look_after()
            event = link.receive()
            match event:
                case Ready():
                    continue
                case Done():
                    return
                case Refused():
                    raise make_refusal(event.reason, event.status, event.missing_inputs)
                case Links():
                    yield from event.links
                case _:
                    yield event


def _encodable(submission: Submission) -> Submission:
    """Escape characters that UTF-8 cannot encode (half a surrogate pair), and say where the file is."""
    texts: dict[str, Any] = {
        name: escape_surrogates(text)
        for name, text in vars(submission).items()
        if isinstance(text, str)
    }
    return replace(submission, **texts | {"filename": _place_of(submission.filename)})


def _place_of(filename: str) -> str:
    """Return the path of a file, which lets it import what lies beside it: workers have folders of
    their own. The name of a text that is no file stays."""
    place = os.path.abspath(filename) if os.path.isfile(filename) else filename
    return escape_surrogates(place)
