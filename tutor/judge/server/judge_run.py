"""A submission from its text to its verdict: the server's side.

Cases go to a worker one by one (`tutor.judge.cases.case_runner`). Then the causes of a wrong result
are searched, and a right one is timed. Events are yielded as they happen, the `Verdict` last.
"""

import platform
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from msgspec.structs import asdict

from tutor.course.model import Exercise
from tutor.judge.cases.bench import Bench
from tutor.judge.cases.case_runner import Cases, limit_seconds
from tutor.judge.cases.reference import Reference, set_matrix_arithmetic
from tutor.judge.diagnosis import source_rules
from tutor.judge.diagnosis.error_messages import translate
from tutor.judge.diagnosis.evidence import CaseFacts, observed
from tutor.judge.model.caller_messages import Submission
from tutor.judge.model.events import Provisional
from tutor.judge.model.verdict import (
    CaseResult,
    Diagnosis,
    GraphSummary,
    Latency,
    Repair,
    Timing,
    Verdict,
    WrongExample,
)
from tutor.judge.probes import handled_errors, interpreter_reruns
from tutor.judge.processes import kernel_resources
from tutor.judge.processes.limits import WorkerStopped
from tutor.judge.processes.wire import Channel
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import ModuleRejected
from tutor.judge.processes.worker_messages.records import read_json_object
from tutor.judge.reports.unwritten_answer import unwritten
from tutor.judge.server import compile_check, finding_order, graph_checks, repair_search
from tutor.judge.server.finding_order import JudgedCases
from tutor.judge.server.interpreter_check import Watch, join_results
from tutor.judge.server.precompilation import Precompilation, count_workers
from tutor.judge.shrinking.program_search import find_program_example
from tutor.judge.shrinking.search import Program, find_example
from tutor.judge.timing.baseline_client import CompiledBaseline
from tutor.judge.timing.checks import Failed
from tutor.judge.timing.measurement import Measuring
from tutor.judge.timing.timed_inputs import Ahead
from tutor.judge.twists.promises import judge_twists

Event = (
    CaseResult | Diagnosis | Timing | Provisional | Verdict | str
)  # a str is progress, for a status line

MAX_OUTPUT_SHOWN = 1 << 16  # bytes of the learner's printed output


# Nobody can ask who sent a signal, and submissions beside this one share these processes: one whose
# text has none of these is not told of a stop.
_MAY_SIGNAL = re.compile(r"kill|signal|ctypes|syscall|exec|eval|__import__|import_module")
_SIGNALLED = (
    "While it ran, a signal stopped a process of the judge, as `os.kill(os.getppid(), SIGSTOP)` does. "
    "Leave processes that you did not start alone."
)


@dataclass(frozen=True)
class Helpers:
    """What the server lends to a judgement: workers by mode, the caller's channel, the baseline.

    `were_stopped` says whether a signal has stopped the judge's own processes since it was last asked.

    `capability` is that of the judging GPU, 90 for sm_90, if there are cores to compile for it in
    advance.
    """

    take: Callable[[str], WorkerHandle]
    were_stopped: Callable[[], bool]
    caller: Channel
    compiled: CompiledBaseline
    capability: int | None


class JudgeRun:
    """State of one judgement. `judge()` is called once."""

    def __init__(
        self,
        exercise: Exercise,
        reference: Reference,
        given: Submission,
        helpers: Helpers,
        *,
        mode: str,
        seed: int,
        target: str,
    ) -> None:
        """`target` is the GPU to compile for what the interpreter ran, "" for none."""
        self.exercise, self.reference = exercise, reference
        self.source, self.filename, self.profile = given.source, given.filename, given.profile
        self._wants_explanation = given.explain
        self.repair: Repair | None = None
        self.sought_repair = False
        self.mode, self.seed = mode, seed
        self.target = target
        self.watched: list[CaseFacts] = []  # facts from the interpreter
        self.timed = given.timing and reference.timing is not None and mode != "interpret"
        self._take, self._caller = helpers.take, helpers.caller
        self._were_stopped = helpers.were_stopped
        self._compiled, self._capability = helpers.compiled, helpers.capability
        self.judged = JudgedCases(exercise, reference, given.source)
        self.cases, self.facts = self.judged.results, self.judged.facts
        self.diagnosis: tuple[Diagnosis, ...] = ()
        self.timing: Timing | None = None
        self.resources: dict[str, Any] | None = None
        self.graph: GraphSummary | None = None
        self.example: WrongExample | None = None
        self.first_ms: float | None = None
        self.correct_ms: float | None = None
        self.output = b""
        self._loaded = False  # whether the learner's text ran to its end
        self._started = 0.0
        self._took = 0.0  # milliseconds to the verdict, before it is explained
        self._warmup: Precompilation | None = None
        self._inputs: Ahead | None = None
        self._compilation: compile_check.Compilation | None = None

    @property
    def device(self) -> str:
        if self.mode == "interpret":
            return "cpu-interpreter"
        if self.mode == "cuda":
            return f"cuda: {torch.cuda.get_device_name(0)}"
        return "cpu"

    @property
    def limit(self) -> float:
        """The seconds after which the cases are ended."""
        return limit_seconds(self.exercise, self.mode)

    def judge(self) -> Iterator[Event]:
        worker = self._take(self.mode)
        self._started = time.perf_counter()
        # Cases are small: torch's helper threads save nothing here, and on a fully busy machine each
        # operation waits for them (measured: 0.4 s of a verdict against 0.06 s).
        torch.set_num_threads(1)
        set_matrix_arithmetic(self.reference)
        cases = self._cases(worker, self.mode, self._caller)
        with ExitStack() as beside:
            try:
                yield from self._run(cases, beside)
            except WorkerStopped as stop:
                causes = finding_order.likely_causes(self.judged)
                stopped = (observed(self._diagnose_stop(stop)),)
                wrong_before = stop.code == "timeout" and not self.judged.right
                self.diagnosis = (*causes, *stopped) if wrong_before else (*stopped, *causes)
            finally:
                worker.kill()
                self.output = bytes(worker.output[:MAX_OUTPUT_SHOWN])
        signalled = self._were_stopped()  # the worker is dead: it can do so no more
        if signalled and _MAY_SIGNAL.search(self.source):
            self.diagnosis = (observed(Diagnosis("tampering", _SIGNALLED)), *self.diagnosis)
        yield from self.diagnosis
        self._took = self._elapsed()
        with suppress(WorkerStopped):  # cancelled: the verdict stands with what is known
            yield from self._explain()
        yield self._verdict()

    def _explain(self) -> Iterator[Event]:
        """Look closer at a refused program: the smallest wrong example, then the smallest change that
        makes every case right, before which the verdict so far is sent.

        Raises `WorkerStopped` with the code "cancelled"."""
        if not self._wants_explanation or not self.cases or not self.diagnosis:
            return
        if self.diagnosis[0].code == "not-interpretable":
            return  # nothing is known of it
        starter = self.exercise.starter.read_text(encoding="utf-8", errors="replace")
        if unwritten(self.source, starter, self._verdict()):
            return
        if not self.judged.right and not self.exercise.maker and self.exercise.kind != "ranks":
            yield "looking for a smaller example"
            self._find_example()
        # An error of Python's own costs a try as little as a wrong number.
        raised = self.diagnosis[0].code == "crash" and any(facts.raised for facts in self.facts)
        if self.diagnosis[0].code in repair_search.OUT_OF_REACH and not raised:
            return
        self.sought_repair = True
        yield Provisional(self._verdict())
        right = "it" if self.judged.right else "all cases"
        yield f"looking for a small change that makes {right} right"
        self._seek_repair()

    def _seek_repair(self) -> None:
        refused = repair_search.Refused(
            self.source,
            self.filename,
            tuple(self.facts),
            tuple(finding.code for finding in self.diagnosis),
            self._took / 1e3,
        )
        found = repair_search.seek_repair(self._bench, refused)
        if found and finding_order.tells_repair(self.judged, found[1].lines):
            finding, self.repair = found
            self.diagnosis = (finding, *self.diagnosis)

    def _find_example(self) -> None:
        """Look for smaller arguments on which the program is wrong for the same reason."""
        judged = zip(self.cases, self.facts, strict=True)
        line = self.diagnosis[0].line
        program = Program(self.source, self.filename)
        if self.exercise.kind == "pass":
            self.example = find_program_example(self._bench, program, judged)
            return
        self.example = find_example(self._bench, program, judged, line)

    @property
    def _bench(self) -> Bench:
        # A GPU takes its time to compile each candidate, and the interpreter sees more.
        mode = "interpret" if self.exercise.kind == "kernel" else self.mode
        return Bench(
            self.exercise,
            self.reference,
            partial(self._take, mode),
            mode,
            self.seed,
            self._caller,
            self._pretended,
        )

    def _warm_up(self, beside: ExitStack) -> None:
        if self._capability and self.exercise.kind == "kernel":
            self._warmup = Precompilation(
                self.exercise,
                self.reference,
                [self._take("offline") for _ in range(count_workers())],
                self.source,
                self.filename,
                capability=self._capability,
                seed=self.seed,
            )
            beside.callback(self._warmup.close)

    def _watch(self, beside: ExitStack) -> Watch | None:
        if self.mode != "cuda" or self.exercise.kind != "kernel":
            return None
        worker = self._take("interpret")
        watch = Watch(
            worker,
            lambda caller: self._cases(worker, "interpret", caller),
            self.source,
            self.filename,
        )
        beside.callback(watch.close)
        return watch

    def _wait_for_compilation(self, watch: Watch | None) -> None:
        """Wait for the compilations in the background, so that the cases after the first need not
        compile."""
        if self._warmup:
            # The wait is bounded: by then most parallel compilations are done, and the learner's
            # function may never end there.
            self._warmup.wait(self._elapsed() / 1e3, self._caller)
        if watch:
            watch.hold()

    @property
    def _pretended(self) -> str:
        """The GPU as which the interpreter answers."""
        return self.target or compile_check.find_gpu(self.mode)

    def _cases(self, worker: WorkerHandle, mode: str, caller: Channel) -> Cases:
        cases = Cases(
            self.exercise,
            self.reference,
            worker,
            mode=mode,
            seed=self.seed,
            caller=caller,
            target=self._pretended,
        )
        worker.begin(cases.limits())
        return cases

    def _load(self, cases: Cases) -> bool:
        """Run the learner's text in the worker. Returns False where it is rejected."""
        loaded = cases.load(self.source, self.filename)
        if isinstance(loaded, ModuleRejected):
            self.diagnosis = (observed(_diagnose_rejection(loaded)),)
            return False
        self.judged.constants = read_json_object(loaded.constants)
        self._loaded = True
        return True

    def _run(self, cases: Cases, beside: ExitStack) -> Iterator[Event]:
        """Run the phases. `beside` closes what runs in parallel to the cases."""
        self._warm_up(beside)
        if not self._load(cases):
            return
        watch = self._watch(beside)
        if self.timed:
            self._inputs = Ahead(self.reference, self.mode, self.seed)
            beside.callback(self._inputs.close)
        for result, facts in cases.run(partial(self._wait_for_compilation, watch)):
            self.cases.append(result)
            self.facts.append(facts)
            self.first_ms = self.first_ms or self._elapsed()
            yield result
        if watch:
            watch.go_on()
        if self.judged.right:
            self.correct_ms = self._elapsed()
        measuring: Iterator[Event] | None = None
        if self.mode == "interpret":
            self.watched = self.facts
            self._compile_beside(beside)
            self.diagnosis = finding_order.output_remembered(self.judged, cases)  # before any probe
            interpreter_reruns.probe_masked_lanes(cases, self.facts)
            interpreter_reruns.probe_program_order(cases, self.facts)
        elif watch:
            if self.timed and self.correct_ms is not None and not self.target:
                measuring = self._measure(cases.worker)
                yield from _until_first_figures(
                    measuring
                )  # while the second look still has to come
            yield from self._hear(watch)
            self._compile_beside(beside)
            self.diagnosis = self.diagnosis or finding_order.output_remembered(self.judged, cases)
        if self.exercise.kind == "function":
            handled_errors.probe_handled_errors(cases, self.facts, self.source)
        finding_order.note_ranks(self.judged)
        finding_order.find_near_miss(self.judged, cases)
        finding_order.try_copied_views(self.judged, cases)
        self.graph = graph_checks.summarize_graphs(cases)
        self.diagnosis = self.diagnosis or finding_order.first_finding(self.judged, cases)
        if not self.diagnosis:
            yield from self._compile_and_time(measuring or self._measure(cases.worker))

    def _compile_and_time(self, measuring: Iterator[Event]) -> Iterator[Event]:
        """Wait until it is compiled for the target, and measure what is right so far."""
        if self.judged.right and (self._compilation or self.timed):
            yield Provisional(self._verdict())
        if self._compilation:
            yield f"compiling for {self.target}"
            outcome = self._compilation.wait(self._caller)
            self.resources = outcome.resources
            if outcome.finding:
                self.diagnosis = (observed(outcome.finding),)
        if self.timed and not self.diagnosis:
            yield from measuring

    def _hear(self, watch: Watch) -> Iterator[Event]:
        """Add the interpreter's findings on the same cases: see `interpreter_check.Watch`."""
        yield "watching loads and stores in the interpreter"
        seen, said = watch.result(self._caller)
        if all(f.passed for f in self.facts) and said:
            self.diagnosis = (observed(said),)
        self.watched = seen
        # The GPU's run may have stopped before its last case.
        for index, interpreted in enumerate(seen[: len(self.facts)]):
            self.facts[index] = join_results(self.facts[index], interpreted)
            if self.cases[index].passed and not self.facts[index].passed:
                note = "right here, by luck: see below"
                self.cases[index] = replace(self.cases[index], passed=False, note=note)
                yield self.cases[index]

    def _compile_beside(self, beside: ExitStack) -> None:
        """Compile kernels that pass in the interpreter for the learner's GPU, which this machine may
        lack, while the probes run."""
        if self.judged.right and self.target and self.exercise.kind == "kernel":
            self._compilation = compile_check.Compilation(
                self._take("offline"),
                self.source,
                self.filename,
                self.target,
                [kernel for facts in self.watched for kernel in facts.seen.kernels],
                compile_check.Demands(
                    self.reference.matrix_units,
                    self.reference.most_spills,
                    self.reference.accumulators,
                    self.reference.dot,
                    self.reference.strict,
                    self.reference.also,
                ),
            )
            beside.callback(self._compilation.close)

    # --- timing -----------------------------------------------------------------------------------

    def _measure(self, worker: WorkerHandle) -> Iterator[Event]:
        measuring = Measuring(
            self.exercise,
            self.reference,
            worker,
            mode=self.mode,
            seed=self.seed,
            caller=self._caller,
            compiled=self._compiled,
        )
        try:
            assert self._inputs is not None
            yield from measuring.run(self._inputs.take(), profile=self.profile)
        except Failed as failed:
            self.diagnosis = (observed(failed.finding),)
            return
        except WorkerStopped as stop:
            if stop.code != "cancelled":
                raise  # the submission is right, and the measurements so far remain valid
        if measuring.timing:
            self.timing = replace(measuring.timing, final=True)
        if measuring.resources and not self.resources:  # otherwise: those of the requested GPU
            self.resources = kernel_resources.add_occupancy(asdict(measuring.resources))
        if self.graph and (lowered := measuring.lowered):
            self.graph = replace(
                self.graph,
                kernels=lowered.kernels,
                bytes_read=lowered.bytes_read,
                bytes_written=lowered.bytes_written,
                bytes_least=measuring.least_bytes,
            )

    # --- the end ----------------------------------------------------------------------------------

    def _diagnose_stop(self, stop: WorkerStopped) -> Diagnosis:
        case, line = "", stop.line_of(self.filename)
        if not self._loaded:
            case = " while the file was loaded, before any case"
        elif len(self.cases) < len(self.reference.cases):
            case = f" in the case “{self.reference.cases[len(self.cases)].name}”"
        loop = line and source_rules.find_loop(self.source, line)
        if line:
            case += f": {'the loop of ' if loop else ''}line {loop or line} was running"
        named = loop or line
        steps = source_rules.find_steps(self.source, loop) if loop else None
        if steps is not None and stop.code == "timeout":
            case += _describe_steps(steps)
            named = None if any(steps.values()) else named  # its condition, or what sets its names
        advice = {
            "timeout": self._explain_slowness(bool(loop)),
            "crash": "It did not return an output.",
            "out-of-memory": "Look at the sizes of what you allocate.",
            "too-much-output": "Print less, or only in one program.",
            "too-many-processes": "Is there a loop around what starts a process?",
            "tampering": "Leave the descriptors that you did not open alone.",
            "cancelled": "",
        }[stop.code]
        said = str(stop)
        message = f"{said[0].upper()}{said[1:]}{case}. {advice}".strip()
        return Diagnosis(stop.code, message, named)

    def _explain_slowness(self, loop_known: bool) -> str:
        if not self._loaded:
            return ""
        if not source_rules.has_loop(self.source):
            return "What takes the time there?"
        asked = f"How often does {'it' if loop_known else 'each loop'} run there"
        if self.mode == "interpret" and self.exercise.kind == "kernel" and self.cases:
            return (
                f"{asked}, and in how many programs? (Without a GPU an operation on a tile takes about "
                "0.1 ms.)"
            )
        return f"{asked}?"

    def _elapsed(self) -> float:
        return (time.perf_counter() - self._started) * 1e3

    def _verdict(self) -> Verdict:
        passed = (
            bool(self.cases)
            and len(self.cases) == len(self.reference.cases)
            and self.judged.right
            and not self.diagnosis
        )
        return Verdict(
            exercise=self.exercise.slug,
            passed=passed,
            device=self.device,
            cases=tuple(self.cases),
            diagnosis=self.diagnosis,
            timing=self.timing,
            resources=self.resources,
            graph=self.graph,
            traffic=finding_order.most_telling(self.watched),
            example=self.example,
            latency_ms=Latency(self.first_ms, self.correct_ms, self._took or self._elapsed()),
            seed=self.seed,
            output=self.output.decode("utf-8", "backslashreplace"),
            figures=self.judged.figures,
            chart=self.judged.chart,
            versions=read_versions(),
            repair=self.repair,
            sought_repair=self.sought_repair,
            twists=judge_twists(self.exercise, self.source, self.watched) if passed else (),
        )


def _describe_steps(steps: dict[str, list[int]]) -> str:
    """Say in which lines a loop sets what its condition reads."""
    lines = sorted({line for found in steps.values() for line in found})
    names = " and ".join(f"`{name}`" for name, found in steps.items() if found or not lines)
    if not lines:
        return f"; nothing in it sets {names}"
    shown = ", ".join(map(str, lines[:3]))
    return f". It sets {names} in line{'s' * (len(lines) > 1)} {shown}"


def _diagnose_rejection(failed: ModuleRejected) -> Diagnosis:
    finding = translate(failed.error, fallback=failed.code)
    own = finding.code == "out-of-memory" or failed.error.type == "SystemExit"
    if failed.code in ("wrong-signature", "import-error") and not own:
        finding = replace(finding, code=failed.code)
    return finding


def _until_first_figures(measuring: Iterator[Event]) -> Iterator[Event]:
    """Yield events up to and including the first figures; the rest comes later."""
    for event in measuring:
        yield event
        if isinstance(event, Timing):
            return


def read_versions() -> dict[str, str]:
    """Return the versions of Python, torch and triton by which a verdict came about."""
    try:
        import importlib.metadata

        triton = importlib.metadata.version("triton")
    except importlib.metadata.PackageNotFoundError:
        triton = "none"
    return {"python": platform.python_version(), "torch": str(torch.__version__), "triton": triton}
