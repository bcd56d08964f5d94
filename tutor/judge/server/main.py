"""The trusted process: it holds references, inputs and verdicts and never runs a learner's line.

The keeper (`tutor.judge.keeper.main`) forks it for a caller. When the caller leaves between two calls,
it keeps its workers and waits for the next caller like it (`tutor.judge.keeper.servers`). When the
caller's channel closes without a word, it ends, and with it everything that it started.

Its messages are in `tutor.judge.model.caller_messages`. The last one of a call is `Done` or `Refused`.
"""

import codecs
import os
import select
import traceback
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutor.base.errors import CannotHere, MissingInputs, UsageError
from tutor.base.extras import say_missing
from tutor.course.model import EXTRAS_OF_KINDS, SUBJECTS, Exercise
from tutor.hardware import presence
from tutor.judge.breaking.case_text import parse_cases
from tutor.judge.model.caller_messages import (
    TO_SERVER,
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
from tutor.judge.model.events import CellDone, CellOutput, Progress, Started
from tutor.judge.model.keeper_messages import Welcome
from tutor.judge.processes import process_control
from tutor.judge.processes.limits import WorkerLimits, WorkerStopped
from tutor.judge.processes.template_link import missing
from tutor.judge.processes.wire import Channel, Closed, escape_surrogates
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.helpers import FROM_KEEPER, CallerLeft
from tutor.judge.processes.worker_messages.questions import RunCell
from tutor.judge.server.templates import ENOUGH_CORES, Templates, compiles_ahead, mode_for
from tutor.judge.timing.baseline_client import CompiledBaseline
from tutor.judge.xray_relay import PartsOnce, join_dones, run_xray
from tutor.xray.model.compiler import (
    COMPILERS,
    INDUCTOR,
    Compiler,
    find_compilers,
)
from tutor.xray.model.recorded_ladders import LADDERS, find_recorded
from tutor.xray.model.stages import Failure, Link, Links, Request, XrayDone

if TYPE_CHECKING:
    from tutor.judge.server.case_play import CasePlay

_LOOK_SECONDS = 0.2  # how often ended cells are checked: the processes they started may still run
_CACHES = ("TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "CUDA_CACHE_PATH")


class Server:
    """Answers one caller after another: submissions, cells, X-rays. `warm` names the modes that the
    keeper has ready."""

    def __init__(
        self, channel: Channel, keeper: Channel, course_root: Path, warm: set[str]
    ) -> None:
        self.channel = channel
        self._keeper = keeper
        self.course_root = course_root
        self.templates = Templates(keeper)
        self._preloaded = False
        self._warm = warm  # modes whose workers begin without delay
        self.sessions: dict[tuple[str, str], WorkerHandle] = {}
        self._stopped: dict[tuple[str, str], WorkerStopped] = {}  # sessions stopped between cells
        for name in _CACHES:  # the baselines' kernels are not where the learner's code writes
            if name in os.environ:
                os.environ[name] += "-own"
        self._references: dict[Path, tuple[tuple[int, ...], Any]] = {}
        self.compiled = CompiledBaseline()
        self._shown: dict[Path, tuple[tuple[Any, ...], dict[str, bool]]] = {}  # `_known_shown`

    def serve(self, preload: bool) -> None:
        self._preloaded = preload
        if preload:
            if presence.has_nvidia():
                self.templates.get("cuda")
            self.templates.get("interpret")
            self._import_torch()
        while True:
            self._serve_caller()
            self._wait_for_caller()

    def _serve_caller(self) -> None:
        """Answer the caller's requests until it leaves. Raises `Closed` if it is gone without a word."""
        self.channel.send(Ready())
        while True:
            while self.sessions and not select.select([self.channel], [], [], _LOOK_SECONDS)[0]:
                self._look_after_sessions()
            request, _ = self.channel.receive(TO_SERVER)
            if isinstance(request, Leave):
                return
            try:
                self._answer(request)
            except (UsageError, CannotHere) as error:
                lacks = isinstance(error, MissingInputs)
                reason = escape_surrogates(str(error))
                self.channel.send(Refused(reason, error.exit_status, lacks))
            except Closed:
                raise
            except Exception as error:  # an error of the judge must not end the caller's sessions
                traceback.print_exc()
                said = f"the judge failed ({type(error).__name__}); its log is judge.log"
                self.channel.send(Refused(said, CannotHere.exit_status))
            self.templates.refill()

    def _wait_for_caller(self) -> None:
        """Wait until the keeper has another caller. Raises `Closed` if this process is to end."""
        for session in {session for session, _ in (*self.sessions, *self._stopped)}:
            self._end_session(session)
        self._end_strays()
        self.channel.close()
        self._keeper.send(CallerLeft())
        _, (channel, log) = self._keeper.receive(FROM_KEEPER)
        process_control.log_to(log)
        self.channel = Channel.from_fd(channel)
        self.channel.send(Welcome(os.getpid()))

    def _import_torch(self) -> None:
        """Import what the keeper has imported, and see whether torch can use the GPU."""
        try:
            import torch

            from tutor.judge.server import judge_run  # noqa: F401
        except ImportError as error:
            raise CannotHere(missing(str(error))) from None
        if not torch.cuda.is_available():
            self.templates.drop("cuda")

    def _end_strays(self) -> None:
        """End what a helper of this process has left behind."""
        for stray in set(process_control.children(os.getpid())) - self.compiled.pids:
            for pid in (*process_control.descendants(stray), stray):
                process_control.kill(pid)

    def _answer(self, request: ServerRequest) -> None:
        match request:
            case Submission():
                self._submit(request)
            case CellRequest():
                self._cell(request)
            case PrepareRequest():
                self._prepare(request)
            case InputsRequest():
                self._inputs(request)
            case AccessRequest():
                self._access(request)
            case ProgramRequest():
                self._record(request)
            case CasesRequest():
                self._play_cases(request)
            case Request():
                self._xray(request)
            case EndSession():
                self._end_session(request.session)
            case WarmRequest():
                mode = request.mode or self.mode("kernel", request.device)
                if request.wait:
                    self.templates.ready(mode)
                else:
                    self.templates.get(mode)
                if mode in ("interpret", "cuda"):
                    self.templates.get("offline")
            case Cancel():
                return  # nothing runs: too late to matter
        self.channel.send(Done())

    def _end_session(self, session: str) -> None:
        for key in [k for k in self.sessions if k[0] == session]:
            self.sessions.pop(key).kill()
        for key in [k for k in self._stopped if k[0] == session]:
            del self._stopped[key]

    # --- submissions ------------------------------------------------------------------------------

    def _submit(self, given: Submission) -> None:
        from tutor.course.catalog.course import open_course
        from tutor.judge.cases import reference
        from tutor.judge.server.compile_check import choose_target
        from tutor.judge.server.judge_run import Helpers, JudgeRun

        exercise = open_course(self.course_root).exercise(given.exercise)
        if missing := say_missing(exercise.needs):
            raise CannotHere(f"{exercise.slug} can be read here, but not judged. {missing}")
        if exercise.aim:
            self._submit_cases(exercise, given.source)
            return
        mode = self.mode(exercise.kind, given.device, exercise.subject, exercise.needs)
        if "cuda" in exercise.needs and mode != "cuda":
            raise CannotHere(f"{exercise.slug} needs a CUDA GPU, and this machine shows none")
        judged_by = self._reference(exercise.reference)
        target = choose_target(given.target, exercise, judged_by, mode)
        submission = JudgeRun(
            exercise,
            judged_by,
            given,
            Helpers(
                take=self.templates.takes(given.source),
                were_stopped=self.templates.were_stopped,
                caller=self.channel,
                compiled=self.compiled,
                capability=None if target or mode != "cuda" else self._spare_compiler(),
            ),
            mode=mode,
            seed=reference.fresh_seed() if given.seed is None else given.seed,
            target=target,
        )
        self.templates.ready(mode_for(given.source, mode))
        self.templates.were_stopped()  # by whomever, before this submission
        if target:
            self.templates.get("offline")  # gets ready while the cases run
        if len(os.sched_getaffinity(0)) < ENOUGH_CORES:
            self.compiled.pause()  # the submission has priority
        self.channel.send(Started(submission.device, submission.limit))
        for event in submission.judge():
            self.channel.send(Progress(event) if isinstance(event, str) else event)
        self.compiled.resume()

    def _spare_compiler(self) -> int | None:
        """Return the capability of the GPU (90 for sm_90) for which kernels are now compiled in
        advance."""
        import torch

        if not compiles_ahead() or not self.templates.get("offline").is_ready():
            return None
        major, minor = torch.cuda.get_device_capability(0)
        return 10 * major + minor

    def _prepare(self, request: PrepareRequest) -> None:
        """Compile the exercise's baseline in the background if the exercise will be timed; let the extra
        be imported that the kind needs."""
        from tutor.course.catalog.course import open_course

        exercise = open_course(self.course_root).exercise(request.exercise)
        mode = self.mode(exercise.kind, "auto", exercise.subject, exercise.needs)
        if mode in EXTRAS_OF_KINDS or mode.startswith("pass:"):
            self.templates.get(mode)
        elif mode != "interpret" and self._reference(exercise.reference).timing:
            self.compiled.prepare(exercise.reference, "cuda" if mode == "cuda" else "cpu")

    def _inputs(self, request: InputsRequest) -> None:
        """Return shapes and types of the exercise's timed inputs, or of its first case without them,
        and the least work for these inputs."""
        from tutor.course.catalog.course import open_course
        from tutor.judge.cases import reference

        exercise = open_course(self.course_root).exercise(request.exercise)
        loaded = self._reference(exercise.reference)
        args = reference.make_inputs(loaded.timing_cpu or loaded.cases[0], seed=1)
        self.channel.send(TimedInputs(tuple(map(reference.spec, args)), loaded.work(*args)))

    def _access(self, request: AccessRequest) -> None:
        """Record every load and store of a learner's kernel on one case with the interpreter."""
        from tutor.course.catalog.course import open_course
        from tutor.judge.server import access_map

        exercise = open_course(self.course_root).exercise(request.exercise)
        access = access_map.trace_access(
            exercise,
            self._reference(exercise.reference),
            request.source,
            request.filename,
            request.case,
            request.example,
            self.templates.takes(request.source),
            self.channel,
        )
        self.channel.send(access)

    def _record(self, request: ProgramRequest) -> None:
        """Record what the programs of a learner's kernel do, in two ways."""
        from tutor.course.catalog.course import open_course
        from tutor.judge.server import access_map

        exercise = open_course(self.course_root).exercise(request.exercise)
        record = access_map.record_program(
            exercise,
            self._reference(exercise.reference),
            request.source,
            request.filename,
            self.templates.takes(request.source),
            self.channel,
        )
        self.channel.send(record)

    def _submit_cases(self, exercise: Exercise, source: str) -> None:
        """Judge a file of cases by what they refuse of another exercise's answers."""
        from tutor.course.catalog.course import open_course
        from tutor.judge.server.case_verdict import judge_cases

        assert exercise.aim is not None
        of = open_course(self.course_root).exercise(exercise.aim.of)
        self.channel.send(Started("cpu-interpreter"))
        self.channel.send(judge_cases(exercise, of, source, self._open_play(of)))

    def _open_play(self, exercise: Exercise) -> "CasePlay":
        from tutor.judge.server.case_play import CasePlay

        return CasePlay(
            exercise,
            self._reference(exercise.reference),
            lambda: self.templates.take("interpret"),
            self.channel,
            self._known_shown(exercise.folder),
        )

    def _known_shown(self, folder: Path) -> dict[str, bool]:
        """Return what is known of an exercise's wrong answers while its files are as they are."""
        files = sorted(folder.rglob("*.py")) + sorted(folder.glob("*.toml"))
        stamp = tuple((file.name, file.stat().st_mtime_ns) for file in files)
        if self._shown.get(folder, ((), {}))[0] != stamp:
            self._shown[folder] = (stamp, {})
        return self._shown[folder][1]

    def _play_cases(self, request: CasesRequest) -> None:
        """Play a learner's cases on the exercise's answers."""
        from tutor.course.catalog.course import open_course

        exercise = open_course(self.course_root).exercise(request.exercise)
        if missing := say_missing(exercise.needs):
            raise CannotHere(f"{exercise.slug} can be read here, but not judged. {missing}")
        play = self._open_play(exercise)
        cases = parse_cases(request.texts, exercise.entry)
        try:
            table = play.run(cases, request.own, "all" if request.shown else "none")
        except WorkerStopped as stop:  # only what the caller asked for comes this far
            raise UsageError(str(stop)) from None
        self.channel.send(table)

    def mode(self, kind: str, device: str, subject: str = "", needs: tuple[str, ...] = ()) -> str:
        """Return the mode of the workers that judge: "cuda" if there is a GPU, unless the caller
        says otherwise.

        A plain `function` (a calculation), one of `ranks`, a `pass` and the kinds that need an extra are
        judged on the CPU on every machine; the mode of the last has the kind's name, that of a pass its
        `subject` too, if it is not FX. A `function` that needs TVM finds it imported where schedules do.
        """
        import torch

        if kind == "function" and "tvm" in needs:
            kind = "schedule"
        if kind == "cases":
            return "interpret"
        if kind in ("function", "ranks", "pass"):
            return f"pass:{subject}" if SUBJECTS.get(subject) else "compile"
        if kind in EXTRAS_OF_KINDS:
            compiler = COMPILERS[EXTRAS_OF_KINDS[kind]]
            if not compiler.is_here():
                raise CannotHere(compiler.say_missing())
            return kind
        if device != "cpu" and torch.cuda.is_available():
            return "cuda"
        if device == "cuda":
            raise CannotHere("no CUDA GPU here; leave out --device cuda, or see `tutor doctor`")
        return "interpret" if kind == "kernel" else "compile"

    def _reference(self, path: Path) -> Any:
        """Return a `reference.py`, loaded again once it changes, or the `probe.py` that it may read."""
        from tutor.judge.cases import reference

        files = (path, path.with_name("probe.py"))
        changed = tuple(file.stat().st_mtime_ns for file in files if file.exists())
        if path not in self._references or self._references[path][0] != changed:
            self._references[path] = (changed, reference.load_reference(path))
        return self._references[path][1]

    # --- X-rays -----------------------------------------------------------------------------------

    def _xray(self, request: Request) -> None:
        """Send stages and links as they are found, from a separate worker for each compiler."""
        compilers = find_compilers(request.compilers)
        for compiler in compilers:  # their templates start together
            if compiler.is_here() and compiler.mode != INDUCTOR.mode:
                self.templates.get(compiler.mode)
        dones = []
        parts = PartsOnce(self.channel.send)
        for compiler in compilers:
            if not compiler.is_here():
                dones.append(self._send_recorded(compiler, request, parts))
                continue
            mode = compiler.mode
            if compiler is INDUCTOR and self._preloaded:
                # A process that starts from nothing is faster than a warm one that is not ready yet.
                warm = self.templates.get("lower").is_ready() or "lower" in self._warm
                mode = "lower" if warm else mode
            worker = self.templates.take(mode)
            alone = replace(request, compilers=(compiler.name,))
            done = run_xray(worker, alone, self.channel, parts.of(compiler))
            dones.append(done)
        self.channel.send(join_dones(dones))

    def _send_recorded(self, compiler: Compiler, request: Request, parts: PartsOnce) -> XrayDone:
        """Send what a compiler that is not installed made elsewhere; else the line that installs it."""
        recorded = find_recorded(self.course_root / LADDERS, request, compiler.name)
        if recorded is None:
            parts.send(Failure(f"{compiler.name}/", compiler.say_missing()))
            return XrayDone("pretend", CannotHere.exit_status)
        events = recorded.events(compiler.name)
        for event in events:
            if not isinstance(event, Link):
                parts.send(event)
        parts.send(Links(tuple(event for event in events if isinstance(event, Link))))
        return XrayDone("pretend", 0)

    # --- live cells -------------------------------------------------------------------------------

    def _cell(self, request: CellRequest) -> None:
        """Run a cell in its session's worker. Each session and mode has one worker, kept between
        cells."""
        kind = request.exercise_kind
        mode = self.mode(kind, "auto") if kind else request.mode
        key = (request.session, mode)
        if key in self._stopped:
            self.channel.send(_session_lost(self._stopped.pop(key)))
            return
        worker = self.sessions.get(key)
        began = worker is None
        if worker is None:
            self.channel.send(Progress("warming up"))
            worker = self.sessions[key] = self.templates.take(mode)
        text = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        worker.on_output = lambda data: self.channel.send(CellOutput(text.decode(data)))
        limits = WorkerLimits(request.seconds, 4 << 30)
        worker.begin(limits)
        question = RunCell(
            request.code,
            request.filename,
            request.evaluate,
            request.echo,
            limits.memory_bytes,
            request.trace,
        )
        try:
            answer, _ = worker.ask(question, (), self.channel)
        except WorkerStopped as stop:
            self.sessions.pop(key)
            self.channel.send(_session_lost(stop, stop.line_of(request.filename)))
            return
        self.channel.send(
            CellDone(
                answer.ok, answer.error, answer.values, answer.ms, began=began, trace=answer.trace
            )
        )

    def _look_after_sessions(self) -> None:
        """Apply the limits to threads and processes that a cell left behind."""
        for key, worker in list(self.sessions.items()):
            try:
                worker.check()
            except WorkerStopped as stop:
                del self.sessions[key]
                self._stopped[key] = stop

    def close(self) -> None:
        for worker in self.sessions.values():
            worker.kill()
        self.templates.close()
        self.compiled.close()
        self._end_strays()


def _session_lost(stop: WorkerStopped, line: int | None = None) -> CellDone:
    why = "" if stop.code == "cancelled" else f": {stop}"
    at = f"; line {line} was running" if line else ""
    error = f"Stopped{why}{at}. Earlier cells will run again first."
    return CellDone(ok=False, error=error, lost=True)


def serve(
    channel: Channel, keeper: Channel, course_root: str, preload: bool, warm: set[str]
) -> None:
    """Serve the caller at `channel` until it leaves. `preload` is False if it wants X-rays only;
    `warm` are the modes whose templates are warm."""
    process_control.adopt_orphans()
    server = Server(channel, keeper, Path(course_root), warm)
    try:
        server.serve(preload)
    except CannotHere as error:
        channel.send(Refused(escape_surrogates(str(error)), error.exit_status))
    except Closed:
        pass
    finally:
        server.close()
