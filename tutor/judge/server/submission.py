"""One submission from its text to its verdict: the server's side.

Cases go to a worker one by one (`tutor.judge.cases.case_runner`); the causes of what is wrong are
looked for, what is right is timed. Events are yielded as they happen, the `Verdict` last.
"""

import platform
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from tutor.course.model import Exercise
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Reference
from tutor.judge.diagnosis import rules
from tutor.judge.diagnosis.error_messages import graph_break, translate
from tutor.judge.diagnosis.rules import CaseFacts, Evidence
from tutor.judge.model.verdict import (
    Break,
    CaseResult,
    Diagnosis,
    Graph,
    Latency,
    Timing,
    Traffic,
    Verdict,
)
from tutor.judge.probes import (
    cheat_detection,
    element_origin,
    input_dependence,
    masked_lanes,
    program_order,
    swapped_arguments,
)
from tutor.judge.processes import kernel_resources  # fmt: skip
from tutor.judge.processes.wire import Channel
from tutor.judge.processes.worker_handle import Stopped, Worker, tolerated
from tutor.judge.server import compile_check
from tutor.judge.server.interpreter_check import Watch, joined
from tutor.judge.server.precompile import Warmup, workers_wanted
from tutor.judge.timing.baseline_client import Compiled
from tutor.judge.timing.checks import Failed
from tutor.judge.timing.measurement import Measuring
from tutor.judge.timing.timed_inputs import Ahead

Event = CaseResult | Diagnosis | Timing | Verdict | str  # a str is progress, for a status line

MAX_OUTPUT_SHOWN = 1 << 16  # bytes of what the learner's code printed
MAX_GUARDS = 40  # failed guards that are kept
TORCHS_LIMIT = 8  # torch._dynamo.config.recompile_limit as shipped, 2.11 to 2.13


class Submission:
    """State of one judgement. `judge()` is called once."""

    def __init__(
        self,
        exercise: Exercise,
        reference: Reference,
        source: str,
        filename: str,
        *,
        mode: str,
        seed: int,
        timed: bool,
        profile: bool,
        target: str,
        take: Callable[[str], Worker],
        caller: Channel,
        compiled: Compiled,
        capability: int | None,
    ) -> None:
        """`target`: the GPU to compile for what the interpreter ran, "" for none. `capability`: of the
        GPU that judges, 90 for sm_90, where there are cores to compile ahead for it."""
        self.exercise, self.reference = exercise, reference
        self.source, self.filename = source, filename
        self.mode, self.seed, self.profile = mode, seed, profile
        self.target, self._capability = target, capability
        self.watched: list[CaseFacts] = []  # what the interpreter saw
        self.timed = timed and reference.timing is not None and mode != "interpret"
        self._take, self._caller, self._compiled = take, caller, compiled
        self.cases: list[CaseResult] = []
        self.facts: list[CaseFacts] = []
        self.diagnosis: tuple[Diagnosis, ...] = ()
        self.timing: Timing | None = None
        self.resources: dict[str, Any] | None = None
        self.graph: Graph | None = None
        self.first_ms: float | None = None
        self.correct_ms: float | None = None
        self.output = b""
        self._started = 0.0
        self._warmup: Warmup | None = None
        self._inputs: Ahead | None = None

    @property
    def device(self) -> str:
        if self.mode == "interpret":
            return "cpu-interpreter"
        if self.mode == "cuda":
            return f"cuda: {torch.cuda.get_device_name(0)}"
        return "cpu"

    def judge(self) -> Iterator[Event]:
        worker = self._take(self.mode)
        self._started = time.perf_counter()
        # Cases are small: torch's helper threads save nothing here, and where every core is busy
        # each operation waits for them (measured: 0.4 s of a verdict against 0.06 s).
        torch.set_num_threads(1)
        cases = self._cases(worker, self.mode, self._caller)
        with ExitStack() as beside:
            try:
                yield from self._run(cases, beside)
            except Stopped as stop:
                self.diagnosis = (self._stopped(stop), *self._causes())
            finally:
                worker.kill()
                self.output = bytes(worker.output[:MAX_OUTPUT_SHOWN])
        yield from self.diagnosis
        yield self._verdict()

    def _warm_up(self, beside: ExitStack) -> None:
        if self._capability and self.exercise.kind == "kernel":
            self._warmup = Warmup(
                self.exercise, self.reference, [self._take("offline") for _ in range(workers_wanted())],
                self.source, self.filename, capability=self._capability, seed=self.seed,
            )  # fmt: skip
            beside.callback(self._warmup.close)

    def _watch(self, beside: ExitStack) -> Watch | None:
        if self.mode != "cuda" or self.exercise.kind != "kernel":
            return None
        worker = self._take("interpret")
        watch = Watch(
            worker, lambda caller: self._cases(worker, "interpret", caller),
            self.source, self.filename,
        )  # fmt: skip
        beside.callback(watch.close)
        return watch

    def _before_second(self, watch: Watch | None) -> None:
        """The first case had to wait for a compilation; the others are not to wait for anything."""
        if self._warmup:
            # No longer than that: by then most of what is compiled side by side is done, and what the
            # learner's function does there may never end.
            self._warmup.wait(self._elapsed() / 1e3, self._caller)
        if watch:
            watch.hold()

    def _cases(self, worker: Worker, mode: str, caller: Channel) -> Cases:
        cases = Cases(
            self.exercise, self.reference, worker, mode=mode, seed=self.seed, caller=caller
        )
        worker.begin(cases.limits())
        return cases

    def _run(self, cases: Cases, beside: ExitStack) -> Iterator[Event]:
        """`beside` ends what goes on while the cases run."""
        self._warm_up(beside)
        loaded = cases.load(self.source, self.filename)
        if "failed" in loaded:
            self.diagnosis = (self._unloadable(str(loaded["failed"]), loaded["error"]),)
            return
        watch = self._watch(beside)
        if self.timed:
            self._inputs = Ahead(self.reference, self.mode, self.seed)
            beside.callback(self._inputs.close)
        for result, facts in cases.run(partial(self._before_second, watch)):
            self.cases.append(result)
            self.facts.append(facts)
            self.first_ms = self.first_ms or self._elapsed()
            yield result
        if watch:
            watch.go_on()
        if all(c.passed for c in self.cases):
            self.correct_ms = self._elapsed()
        measuring: Iterator[Event] | None = None
        if self.mode == "interpret":
            self.watched = self.facts
            self.diagnosis = self._remembered(cases)  # before a probe leaves its numbers behind
            masked_lanes.probe(cases, self.facts)
            program_order.probe(cases, self.facts)
        elif watch:
            if self.timed and self.correct_ms is not None and not self.target:
                measuring = self._measure(cases.worker)
                yield from _until_a_time(measuring)  # while the second look is still to come
            yield from self._hear(watch)
            self.diagnosis = self.diagnosis or self._remembered(cases)
        self._ask_where_from(cases)
        self._judge_capture(cases)
        self.diagnosis = (
            self.diagnosis
            or self._kept(cases)
            or self._module_finding(loaded["constants"])
            or self._probed(cases)
            or self._causes()
            or self._not_genuine(cases)
        )
        if not self.diagnosis and self.target and self.exercise.kind == "kernel":
            yield from self._compile()
        if not self.diagnosis and self.timed:
            yield from measuring or self._measure(cases.worker)

    def _unloadable(self, code: str, error: dict[str, Any]) -> Diagnosis:
        finding = translate(error, fallback=code)
        own = finding.code == "out-of-memory" or error.get("type") == "SystemExit"
        if code in ("wrong-signature", "import-error") and not own:
            finding = replace(finding, code=code)
        return finding

    def _hear(self, watch: Watch) -> Iterator[Event]:
        """What the interpreter saw of the same cases: see `interpreter_check.Watch`."""
        yield "watching loads and stores in the interpreter"
        seen, said = watch.result(self._caller)
        if all(f.passed for f in self.facts) and said:
            self.diagnosis = (said,)
        self.watched = seen
        # The GPU's run may have stopped before its last case.
        for index, interpreted in enumerate(seen[: len(self.facts)]):
            self.facts[index] = joined(self.facts[index], interpreted)
            if self.cases[index].passed and not self.facts[index].passed:
                note = "right here, by luck: see below"
                self.cases[index] = replace(self.cases[index], passed=False, note=note)
                yield self.cases[index]

    def _compile(self) -> Iterator[Event]:
        """Whatever passes the interpreter, compiled for the learner's GPU, which need not be here."""
        yield f"compiling for {self.target}"
        worker = self._take("offline")
        try:
            found = compile_check.compiled(
                worker, self.source, self.filename, self.target,
                [facts.seen for facts in self.watched], self._caller,
            )  # fmt: skip
        finally:
            worker.kill()
        self.resources = found.resources
        if found.finding:
            self.diagnosis = (found.finding,)

    # --- causes -----------------------------------------------------------------------------------

    def _evidence(self) -> Evidence:
        return Evidence(
            self.exercise.kind, self.exercise.entry_name, self.source, tuple(self.facts)
        )

    def _causes(self) -> tuple[Diagnosis, ...]:
        evidence = self._evidence()
        launched = self.exercise.kind != "kernel" or any(f.launches for f in self.facts)
        return rules.diagnose(evidence) if evidence.failed or not launched else ()

    def _kept(self, cases: Cases) -> tuple[Diagnosis, ...]:
        said = cheat_detection.kept(cases) if self.exercise.kind != "function" else None
        return (said,) if said else ()

    def _remembered(self, cases: Cases) -> tuple[Diagnosis, ...]:
        if self.exercise.kind != "kernel" or rules.proven(self._evidence()):
            return ()
        with tolerated():
            if said := cheat_detection.remembered(cases, self.facts):
                return (said,)
        return ()

    def _not_genuine(self, cases: Cases) -> tuple[Diagnosis, ...]:
        said = cheat_detection.of_kernel(cases, self.facts)
        return (said,) if said else ()

    def _ask_where_from(self, cases: Cases) -> None:
        """Where the elements of a wrong output come from, if nothing has proved more yet, and it is no
        factor or summand: then each comes from where it should."""
        evidence = self._evidence()
        if self.exercise.kind != "kernel" or rules.proven(evidence) or rules.scaled(evidence):
            return
        probes = [(element_origin.sources, i) for i in element_origin.candidates(cases, self.facts)]
        probes += [
            (swapped_arguments.sources, i) for i in swapped_arguments.candidates(cases, self.facts)
        ]
        probes += [
            (input_dependence.sources, i) for i in input_dependence.candidates(cases, self.facts)
        ]
        with tolerated():
            for ask, index in probes:
                cases.begin_probe()
                if said := ask(cases, index):
                    self.facts[index] = replace(self.facts[index], sources=said)
                    return

    def _module_finding(self, constants: dict[str, Any]) -> tuple[Diagnosis, ...]:
        """What the exercise itself asks of the module's constants, once everything else is right."""
        if not self.reference.check_module or not all(c.passed for c in self.cases):
            return ()
        said = self.reference.check_module(constants)
        return (Diagnosis("wrong-values", said),) if said else ()

    def _probed(self, cases: Cases) -> tuple[Diagnosis, ...]:
        """What the exercise's probe.py finds in the learner's objects, once the outputs are right."""
        if not self.reference.check_found or not all(c.passed for c in self.cases):
            return ()
        path = self.exercise.probe
        cases.worker.begin(cases.limits())
        reply = cases.probe(path.read_text(encoding="utf-8"), str(path))
        if "raised" in reply:
            return (translate(reply["raised"]),)
        said = self.reference.check_found(reply["found"])
        return (Diagnosis(*said),) if said else ()

    def _judge_capture(self, cases: Cases) -> None:
        """Compiled functions: one graph, no breaks, no compilation for an input seen before; and
        the operations and the number of compilations, where the reference asks about them."""
        found = cases.explained
        if not found:
            return
        breaks = tuple(Break(b["reason"], b["line"]) for b in found["breaks"])
        repeated = cases.repeated
        self.graph = Graph(
            found["graphs"], breaks, recompiles=repeated,
            compilations=sum(cases.compiled), guards=tuple(cases.guards[:MAX_GUARDS]),
        )  # fmt: skip
        if not all(c.passed for c in self.cases):
            return
        if breaks or found["graphs"] > 1:
            first = breaks[0] if breaks else Break("")
            self.diagnosis = (
                Diagnosis(
                    "graph-break",
                    f"Graph breaks: {max(1, len(breaks))}, graphs: {found['graphs']}. The first: "
                    f"{graph_break(first.reason)}. A break returns to Python in the middle, and "
                    "nothing is fused across it.",
                    line=first.line,
                    detail="\n\n".join(b.reason for b in breaks),
                ),
            )
        elif found["graphs"] == 0:
            self.diagnosis = (
                Diagnosis(
                    "wrong-graph",
                    "Nothing was captured: the function does no tensor operation that Dynamo sees.",
                ),
            )
        elif repeated:
            self.diagnosis = (
                Diagnosis(
                    "recompiles",
                    f"Called twice with the same input, it was compiled again ({repeated} times over "
                    "all cases): a guard on a Python value fails that changes from call to call"
                    f"{_first_guard(cases.guards)}.",
                    detail="\n".join(cases.guards[:MAX_GUARDS]),
                ),
            )
        else:
            self.diagnosis = self._over_budget(cases) or self._graph_finding(found["ops"])

    def _over_budget(self, cases: Cases) -> tuple[Diagnosis, ...]:
        budget = self.reference.compilations
        used = sum(cases.compiled[: budget.first]) if budget else 0
        if budget is None or used <= budget.most:
            return ()
        eager = max(0, used - TORCHS_LIMIT)
        beyond = (
            f" torch itself stops at {TORCHS_LIMIT} (`recompile_limit`) and runs what comes after, "
            f"here {eager} inputs, in eager mode."
            if eager
            else ""
        )
        return (
            Diagnosis(
                "recompiles",
                f"Compiled {used} times for the first {budget.first} cases; {budget.most} are enough"
                f"{_first_guard(cases.guards)}.{beyond}",
                detail="\n".join(cases.guards[:MAX_GUARDS]),
            ),
        )

    def _graph_finding(self, ops: list[str]) -> tuple[Diagnosis, ...]:
        said = self.reference.check_graph(tuple(ops)) if self.reference.check_graph else None
        return (Diagnosis("wrong-graph", said),) if said else ()

    # --- timing -----------------------------------------------------------------------------------

    def _measure(self, worker: Worker) -> Iterator[Event]:
        measuring = Measuring(
            self.exercise, self.reference, worker, mode=self.mode, seed=self.seed,
            caller=self._caller, compiled=self._compiled,
        )  # fmt: skip
        try:
            assert self._inputs is not None
            yield from measuring.run(self._inputs.take(), profile=self.profile)
        except Failed as failed:
            self.diagnosis = (failed.finding,)
            return
        except Stopped as stop:
            if stop.code != "cancelled":
                raise  # it is right all the same, and what was measured until then stands
        if measuring.timing:
            self.timing = replace(measuring.timing, final=True)
        if measuring.resources and not self.resources:  # else: those of the GPU that was asked for
            self.resources = kernel_resources.with_occupancy(measuring.resources)
        if self.graph and (found := measuring.lowered):
            self.graph = replace(
                self.graph, kernels=found["kernels"], bytes_read=found.get("bytes_read"),
                bytes_written=found.get("bytes_written"), bytes_least=found["bytes_least"],
            )  # fmt: skip

    # --- the end ----------------------------------------------------------------------------------

    def _stopped(self, stop: Stopped) -> Diagnosis:
        case = ""
        if len(self.cases) < len(self.reference.cases):
            case = f" in the case “{self.reference.cases[len(self.cases)].name}”"
        advice = {
            "timeout": "Is there a loop that never ends, or a grid of very many programs?",
            "crash": "It did not return an output.",
            "out-of-memory": "Look at the sizes of what you allocate.",
            "too-much-output": "Print less, or only in one program.",
            "too-many-processes": "Is there a loop around what starts a process?",
            "tampering": "Leave the descriptors that you did not open alone.",
            "cancelled": "",
        }[stop.code]
        said = str(stop)
        return Diagnosis(stop.code, f"{said[0].upper()}{said[1:]}{case}. {advice}".strip())

    def _elapsed(self) -> float:
        return (time.perf_counter() - self._started) * 1e3

    def _verdict(self) -> Verdict:
        return Verdict(
            exercise=self.exercise.slug,
            passed=bool(self.cases)
            and len(self.cases) == len(self.reference.cases)
            and all(c.passed for c in self.cases)
            and not self.diagnosis,
            device=self.device,
            cases=tuple(self.cases),
            diagnosis=self.diagnosis,
            timing=self.timing,
            resources=self.resources,
            graph=self.graph,
            traffic=_most_telling(self.watched),
            latency_ms=Latency(self.first_ms, self.correct_ms, self._elapsed()),
            seed=self.seed,
            output=self.output.decode("utf-8", "backslashreplace"),
            versions=versions(),
        )


def _most_telling(facts: list[CaseFacts]) -> Traffic | None:
    """That of the case with the most to move."""
    counted = [each.traffic for each in facts if each.traffic]
    return max(counted, key=lambda traffic: traffic.least, default=None)


def _until_a_time(measuring: Iterator[Event]) -> Iterator[Event]:
    """What comes until the first figures, these included; the rest is for later."""
    for event in measuring:
        yield event
        if isinstance(event, Timing):
            return


def _first_guard(guards: list[str]) -> str:
    return f"; the first guard that failed: `{guards[0]}`" if guards else ""


def versions() -> dict[str, str]:
    try:
        import importlib.metadata

        triton = importlib.metadata.version("triton")
    except importlib.metadata.PackageNotFoundError:
        triton = "none"
    return {"python": platform.python_version(), "torch": torch.__version__, "triton": triton}
