"""One submission from its text to its verdict: the server's side.

Cases go to the worker one by one; what comes back is compared here, in the process that holds the
reference. Events are yielded as they happen, the `Verdict` last.
"""


import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch

from tutor.course.model import Exercise
from tutor.judge import compare, diagnose, measure, patterns, shared
from tutor.judge.diagnose import CaseFacts, Evidence
from tutor.judge.pool import Limits, Stopped, Worker
from tutor.judge.reference import Args, Reference, described, make
from tutor.judge.translate import translate
from tutor.judge.verdict import (
    Break,
    CaseResult,
    Diagnosis,
    Graph,
    Latency,
    Timing,
    Verdict,
)
from tutor.judge.wire import Channel, Message

Event = CaseResult | Diagnosis | Timing | Verdict | str  # a str is progress, for a status line

MAX_SOURCE = 1 << 20  # characters
MAX_OUTPUT_SHOWN = 1 << 16  # bytes of what the learner's code printed
_POISONS = ("huge", "nan", "-huge")  # interpreter.POISONS; that module needs Triton
_PADDINGS = (float("-inf"), 0.0, float("inf"), 1.0)  # neutral for max, sum, min, product
_PROBE_SECONDS = 3.0
_RAISED_ENOUGH = 3  # cases that raised after which the rest would say the same


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
        take: Callable[[], Worker],
        caller: Channel,
    ) -> None:
        self.exercise, self.reference = exercise, reference
        self.source, self.filename = source, filename
        self.mode, self.seed, self.timed = mode, seed, timed
        self._take, self._caller = take, caller
        self.cases: list[CaseResult] = []
        self.facts: list[CaseFacts] = []
        self.diagnosis: tuple[Diagnosis, ...] = ()
        self.timing: Timing | None = None
        self.resources: dict[str, Any] | None = None
        self.graph: Graph | None = None
        self.first_ms: float | None = None
        self.correct_ms: float | None = None
        self.output = b""
        self._constants: dict[str, Any] = {}
        self._compilations: list[tuple[int, int]] = []
        self._explained: dict[str, Any] | None = None
        self._started = 0.0

    @property
    def device(self) -> str:
        if self.mode == "interpret":
            return "cpu-interpreter"
        if self.mode == "cuda":
            return f"cuda: {torch.cuda.get_device_name(0)}"
        return "cpu"

    def judge(self) -> Iterator[Event]:
        worker = self._take()
        self._started = time.perf_counter()
        # Cases are small: torch's helper threads save nothing here, and where every core is busy
        # each operation waits for them (measured: 0.4 s of a verdict against 0.06 s).
        torch.set_num_threads(1)
        worker.begin(Limits(self.exercise.seconds, int(self.exercise.memory_gib * 2**30)))
        try:
            yield from self._run(worker)
        except Stopped as stop:
            self.diagnosis = (self._stopped(stop), *self._causes())
        finally:
            worker.kill()
            self.output = bytes(worker.output[:MAX_OUTPUT_SHOWN])
        yield from self.diagnosis
        yield self._verdict()

    def _run(self, worker: Worker) -> Iterator[Event]:
        loaded = self._load(worker)
        if "failed" in loaded:
            fallback = str(loaded["failed"])
            finding = translate(loaded["error"], self.source, fallback=fallback)
            if fallback in ("wrong-signature", "import-error"):
                finding = replace(finding, code=fallback)
            self.diagnosis = (finding,)
            return
        self._constants = loaded["constants"]
        for index, case in enumerate(self.reference.cases):
            args = make(case, self.seed + index)
            result, facts = self._case(worker, index, case.name, args)
            self.cases.append(result)
            self.facts.append(facts)
            if self.first_ms is None:
                self.first_ms = self._elapsed()
            yield result
            if sum(f.raised is not None for f in self.facts) >= _RAISED_ENOUGH:
                break
        if all(c.passed for c in self.cases):
            self.correct_ms = self._elapsed()
        self._judge_capture()
        self.diagnosis = self.diagnosis or self._module_finding() or self._causes(worker)
        if self.diagnosis or not self.timed or not self.reference.timing:
            return
        if self.mode != "interpret":
            yield from self._measure(worker)

    def _load(self, worker: Worker) -> Message:
        reply, _ = worker.ask(
            {
                "do": "load", "source": self.source, "filename": self.filename,
                "entry": self.exercise.entry, "kind": self.exercise.kind,
                "memory_bytes": worker.limits.memory_bytes,
            },
            (),
            self._caller,
        )  # fmt: skip
        return reply

    # --- one case ---------------------------------------------------------------------------------

    def _case(
        self, worker: Worker, index: int, name: str, args: Args, padding: float | None = None
    ) -> tuple[CaseResult, CaseFacts]:
        tensors = [a for a in args if isinstance(a, torch.Tensor)]
        buffer, layouts = shared.filled(tensors)
        fd = shared.memory_file("inputs", buffer)
        fds: list[int] = []
        try:
            message = {
                "do": "case", "args": arguments(args, layouts), "first": index == 0,
                "poison": _POISONS[index % len(_POISONS)], "padding": padding,
            }  # fmt: skip
            reply, fds = worker.ask(message, (fd,), self._caller)
            after = shared.read_file(fd, buffer.numel())
            return self._compared(name, args, reply, fds, _touched(buffer, after, layouts))
        finally:
            for each in (fd, *fds):
                os.close(each)

    def _compared(
        self, name: str, args: Args, reply: Message, fds: list[int], touched: tuple[str, int]
    ) -> tuple[CaseResult, CaseFacts]:
        tensors = [a for a in args if isinstance(a, torch.Tensor)]
        names = self._tensor_names(args)
        facts = CaseFacts(
            name=name,
            passed=False,
            contiguous=all(t.is_contiguous() for t in tensors),
            largest=max((_largest(t) for t in tensors), default=0.0),
            special=any(t.is_floating_point() and not bool(torch.isfinite(t).all()) for t in tensors),
            raised=reply.get("raised"),
            returned=str(reply.get("wrong_type", "")),
            seen=reply.get("seen") or {},
            launches=int(reply.get("launches", 0)),
            guard_broken=names[touched[1]] if touched[0] == "guard" else "",
            changed=names[touched[1]] if touched[0] == "element" else "",
            alias=names[reply["alias"]] if isinstance(reply.get("alias"), int) else "",
        )
        result = CaseResult(name, described(args), passed=False)
        if "compilations" in reply:
            self._compilations.append((int(reply["compilations"]), int(reply["repeated"])))
            self._explained = self._explained or reply.get("explained")
        if facts.raised or facts.returned or not fds:
            note = "raised an error" if facts.raised else f"returned {facts.returned}"
            return replace(result, note=note), facts
        return self._judged(result, facts, args, reply, fds[0])

    def _judged(
        self, result: CaseResult, facts: CaseFacts, args: Args, reply: Message, fd: int
    ) -> tuple[CaseResult, CaseFacts]:
        eager = self.reference.eager(*[_copy(a) for a in args])
        want = self.reference.want(args)
        facts = replace(facts, numel=want.numel())
        if tuple(reply["shape"]) != tuple(want.shape):
            shape = (tuple(reply["shape"]), tuple(want.shape))
            return replace(result, note=f"shape {list(shape[0])}"), replace(facts, shape=shape)
        wanted_dtype = str(eager.dtype).removeprefix("torch.")
        if reply["dtype"] != wanted_dtype:
            dtype = (reply["dtype"], wanted_dtype)
            return replace(result, note=f"dtype {dtype[0]}"), replace(facts, dtype=dtype)
        home = "cuda:0" if self.mode == "cuda" else "cpu"
        if reply["device"] != home:
            device = (reply["device"], home)
            return replace(result, note=f"on {device[0]}"), replace(facts, device=device)
        data = shared.read_file(fd, want.numel() * eager.element_size())
        if data is None:
            return replace(result, note="output incomplete"), replace(facts, returned="no data")
        got = data.view(eager.dtype).reshape(want.shape)
        scale = self.reference.magnitude(args, want)
        found = compare.compare(got, want, scale, eager)
        broken = facts.guard_broken or facts.changed
        racy = bool(facts.seen.get("races"))
        passed = found.passed and not broken and not racy
        if found.mismatch:
            facts = replace(
                facts, pattern=patterns.read(got, want, found.wrong, found.mismatch, scale)
            )
        note = ""
        if found.passed and not passed:
            note = "right numbers, but " + (
                "programs race" if racy else f"`{broken}` or memory beside it was written"
            )
        return (
            replace(
                result, passed=passed, max_abs_err=found.max_abs_err, bound=found.bound,
                eager_err=found.eager_err, mismatch=found.mismatch, note=note,
            ),
            replace(facts, passed=passed),
        )  # fmt: skip

    def _tensor_names(self, args: Args) -> list[str]:
        """Parameter names of the tensor arguments, in order."""
        params = self.exercise.entry.partition("(")[2].rstrip(") ").split(",")
        names = [p.split("=")[0].split(":")[0].strip() for p in params]
        return [n for n, a in zip(names, args, strict=False) if isinstance(a, torch.Tensor)]

    # --- causes -----------------------------------------------------------------------------------

    def _causes(self, worker: Worker | None = None) -> tuple[Diagnosis, ...]:
        if worker and any(f.pattern for f in self.facts):
            self._probe_padding(worker)
        evidence = Evidence(
            self.exercise.kind, self.exercise.entry_name, self.source, tuple(self.facts)
        )
        if self.graph and not evidence.failed:
            return ()
        if not evidence.failed and not (
            self.exercise.kind == "kernel" and all(f.launches == 0 for f in self.facts)
        ):
            return ()
        return diagnose.diagnose(evidence)

    def _probe_padding(self, worker: Worker) -> None:
        """Would a failed case come right with a neutral value in all masked lanes?"""
        for index, facts in enumerate(self.facts):
            if facts.passed or not (facts.seen.get("undefined") or facts.seen.get("padded")):
                continue
            args = make(self.reference.cases[index], self.seed + index)
            worker.begin(Limits(_PROBE_SECONDS, worker.limits.memory_bytes))
            try:
                for value in _PADDINGS:
                    _, again = self._case(worker, index, facts.name, args, padding=value)
                    if again.passed:
                        self.facts[index] = replace(facts, neutral=value)
                        return
            except Stopped:  # a probe may fail; the verdict stands without it
                pass
            return

    def _module_finding(self) -> tuple[Diagnosis, ...]:
        """What the exercise itself asks of the module's constants, once everything else is right."""
        if not self.reference.check_module or not all(c.passed for c in self.cases):
            return ()
        said = self.reference.check_module(self._constants)
        return (Diagnosis("wrong-values", said),) if said else ()

    def _judge_capture(self) -> None:
        """Compiled functions: one graph, no breaks, no compilation for an input seen before."""
        if not self._explained:
            return
        found = self._explained
        breaks = tuple(Break(b["reason"], b["line"]) for b in found["breaks"])
        repeated = sum(again for _, again in self._compilations)
        self.graph = Graph(found["graphs"], breaks, recompiles=repeated)
        if not all(c.passed for c in self.cases):
            return
        if breaks or found["graphs"] > 1:
            first = breaks[0] if breaks else Break("")
            reason = first.reason.strip().splitlines()[0] if first.reason else "an untraceable call"
            self.diagnosis = (
                Diagnosis(
                    "graph-break",
                    f"Captured as {found['graphs']} graphs, not one: {reason}. Each break returns to "
                    "Python in the middle, and nothing is fused across it.",
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
                    "all cases): a guard on a Python value fails that changes from call to call.",
                ),
            )

    # --- timing -----------------------------------------------------------------------------------

    def _measure(self, worker: Worker) -> Iterator[Event]:
        yield "timing"
        try:
            measured = measure.measure(
                worker, self.reference, self.exercise.kind, self.mode, self.seed, self._caller
            )
        except measure.Failed as failed:
            self.diagnosis = (failed.finding,)
            return
        self.timing, self.resources = measured.timing, measured.resources
        if self.graph and measured.kernels is not None:
            self.graph = replace(self.graph, kernels=measured.kernels)
        if self.timing:
            yield self.timing

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
            "cancelled": "",
        }[stop.code]
        said = str(stop)
        return Diagnosis(
            stop.code, f"{said[0].upper()}{said[1:]}{case}. {advice}".strip()
        )

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
            latency_ms=Latency(self.first_ms, self.correct_ms, self._elapsed()),
            seed=self.seed,
            output=self.output.decode("utf-8", "backslashreplace"),
            versions=versions(),
        )


def versions() -> dict[str, str]:
    try:
        import importlib.metadata

        triton = importlib.metadata.version("triton")
    except importlib.metadata.PackageNotFoundError:
        triton = "none"
    return {"python": platform.python_version(), "torch": torch.__version__, "triton": triton}


def arguments(args: Args, layouts: list[shared.Layout]) -> list[Message]:
    """The message form of arguments whose tensors lie in a memory file."""
    left = list(layouts)
    return [
        {"tensor": left.pop(0).to_json()} if isinstance(a, torch.Tensor) else {"value": a}
        for a in args
    ]


def _touched(
    before: torch.Tensor, after: torch.Tensor | None, layouts: list[shared.Layout]
) -> tuple[str, int]:
    """What a run changed in its inputs' file: ("", 0), ("guard", argument) or ("element", argument)."""
    if after is None:
        return "guard", 0
    changed = (before != after).nonzero().reshape(-1)
    if not changed.numel():
        return "", 0
    first = int(changed[0])
    for i, layout in enumerate(layouts):
        if layout.offset <= first < layout.offset + layout.nbytes:
            return "element", i
        if first < layout.offset + layout.nbytes + shared.GUARD:
            return "guard", i
    return "guard", len(layouts) - 1


def _largest(tensor: torch.Tensor) -> float:
    if not tensor.is_floating_point() or not tensor.numel():
        return 0.0
    return float(tensor[torch.isfinite(tensor)].abs().max()) if torch.isfinite(tensor).any() else 0.0


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


