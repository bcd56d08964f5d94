"""Compilation for the learner's GPU of kernels that pass in the interpreter: the server's side.

The interpreter runs Python and has no resource limits, so a kernel may pass there that no GPU can
run. Each launch that it saw is compiled (`worker.compile_worker`); launches that differ only
in sizes are compiled once.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from msgspec.structs import asdict

from tutor.base import config
from tutor.course.model import Exercise
from tutor.hardware import gpus
from tutor.hardware.gpus import Target
from tutor.hardware.gpus import target as target_named
from tutor.judge.cases.reference import Reference
from tutor.judge.diagnosis import source_rules
from tutor.judge.diagnosis.error_messages import translate
from tutor.judge.model.verdict import Diagnosis
from tutor.judge.processes import kernel_resources
from tutor.judge.processes.background import BackgroundTask
from tutor.judge.processes.limits import WorkerLimits, WorkerStopped
from tutor.judge.processes.wire import Channel
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import (
    CannotCompile,
    KernelNeeds,
    ModuleRejected,
    Raised,
)
from tutor.judge.processes.worker_messages.kernel_report import KernelLaunch
from tutor.judge.processes.worker_messages.questions import CompileLaunch, Load
from tutor.judge.processes.worker_messages.records import LearnerError
from tutor.xray.model.counts.triton import matrix_units

SECONDS = 20.0
MEMORY_BYTES = 6 << 30
MOST = 8  # kernels compiled for one submission
_ENOUGH_SECONDS = 1.0  # of compiling; after that only required launches are started
# Columns a block, on Blackwell: as `CompiledKernel._init_handles` of triton.compiler checks them.
_TENSOR_MEMORY = 512
_SUMS = {  # how each kind of sum shows
    "accumulator": "the accumulator of its loop has this dtype",
    "product": "`tl.dot` adds its products in this dtype",
    "reduction": "`tl.sum` or its like is given numbers of this dtype",
    "atomic addition": "an atomic operation adds to numbers of this dtype",
    "operation": "it computes on numbers of this dtype",
}


@dataclass(frozen=True)
class Demands:
    """The demands of an exercise on the compiled code: `units`, which tensor cores must multiply ("":
    no demand), the words that may be spilled (None: any number), and the dtype in which every sum is
    to be ("": any), whether tiles must be multiplied by `tl.dot` or must not be (None:
    either), whether the factors of float32
    products must keep all their digits (`strict`), and the architectures that the largest launch must
    compile for, too (`also`)."""

    units: str = ""
    most_spills: int | None = None
    accumulators: str = ""
    dot: bool | None = None
    strict: bool = False
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The result. `resources` as in the contract; `finding` if a GPU would reject the kernel."""

    resources: dict[str, Any] | None = None
    finding: Diagnosis | None = None


def choose_target(asked: str, exercise: Exercise, reference: Reference, mode: str) -> str:
    """Return the target to compile a submission for: the requested one; without a GPU the one in the
    learner's settings; with one this GPU, if the exercise judges its code; "" for none. Raises
    `UsageError` for an unknown name."""
    if exercise.kind != "kernel":
        return ""
    if asked or mode == "interpret":
        return target_named(asked or config.load_config().config.target).arch
    return find_gpu(mode) if reference.judges_code else ""


def find_gpu(mode: str) -> str:
    """Return the architecture of the GPU that judges, "" where none does or it is not known."""
    here = gpus.find(torch.cuda.get_device_name(0)) if mode == "cuda" else None
    return here.arch if isinstance(here, Target) else ""


def compile_launches(
    worker: WorkerHandle,
    source: str,
    filename: str,
    target: str,
    launches: Iterable[KernelLaunch],
    caller: Channel,
    demands: Demands = Demands(),
) -> Outcome:
    """Compile the launches that the interpreter reported. `worker` is of mode "offline".

    Raises `WorkerStopped` with the code "cancelled" only.
    """
    chip = target_named(target)
    work = _Work(worker, chip, caller, demands, source)
    order = _order_launches(launches)
    if not order:
        return Outcome()
    try:
        worker.begin(WorkerLimits(SECONDS, MEMORY_BYTES))
        loaded, _ = worker.ask(Load(source, filename, MEMORY_BYTES, target=target), (), caller)
        started = time.monotonic()
        if isinstance(loaded, ModuleRejected):
            return work.make_outcome("the file does not load without the interpreter")
        for launch, needed in order:
            late = time.monotonic() - started > _ENOUGH_SECONDS
            if len(work.results) >= MOST or (late and not needed):
                break
            if finding := work.compile(launch):
                return work.make_outcome("", finding)
        for arch in demands.also:
            elsewhere = _Work(worker, target_named(arch), caller, demands, source)
            if arch != chip.arch and (finding := elsewhere.compile(order[0][0])):
                return work.make_outcome("", finding)
    except WorkerStopped as stop:
        if stop.code == "cancelled":
            raise
        if stop.code == "crash":
            return work.make_outcome("", work.diagnose_crash(stop))
        return work.make_outcome(f"compiling was stopped: {stop}")
    return work.make_outcome(_format_left_out(len(work.results), len(order)))


class Compilation:
    """The same beside other work: starts at once; `close` ends it."""

    def __init__(
        self,
        worker: WorkerHandle,
        source: str,
        filename: str,
        target: str,
        launches: Sequence[KernelLaunch],
        demands: Demands,
    ) -> None:
        self._worker = worker
        self._found = Outcome()

        def work(caller: Channel) -> None:
            self._found = compile_launches(
                worker, source, filename, target, launches, caller, demands
            )

        self._work = BackgroundTask(work)

    def wait(self, caller: Channel) -> Outcome:
        """Wait until everything is compiled. Raises as `BackgroundTask.wait` does."""
        self._work.wait(caller)
        return self._found

    def close(self) -> None:
        self._work.close()
        self._worker.kill()


def _order_launches(launched: Iterable[KernelLaunch]) -> list[tuple[KernelLaunch, bool]]:
    """Return the largest launch of each kind, and whether it must be compiled: that is the largest
    and the smallest launch of each kernel, because the one reaches limits and the other minimal
    sizes."""
    largest: dict[str, KernelLaunch] = {}
    for launch in launched:
        known = largest.get(launch.key)
        if known is None or known.elements < launch.elements:
            largest[launch.key] = launch
    launches = sorted(largest.values(), key=lambda launch: -launch.elements)
    by_kernel: dict[tuple[str, str, int], list[KernelLaunch]] = {}
    for launch in launches:
        by_kernel.setdefault((launch.file, launch.kernel, launch.defined), []).append(launch)
    ends = [group[i] for i in (0, -1) for group in by_kernel.values() if i == 0 or len(group) > 1]
    return [(launch, True) for launch in ends] + [
        (launch, False) for launch in launches if not any(launch is end for end in ends)
    ]


class _Work:
    """The launches compiled so far."""

    def __init__(
        self, worker: WorkerHandle, chip: Target, caller: Channel, demands: Demands, source: str
    ) -> None:
        self.results: list[dict[str, Any]] = []
        self.not_compiled = ""  # why a launch was not compiled, if it is not at fault
        self._worker, self._chip, self._caller = worker, chip, caller
        self._demands, self._source = demands, source
        self._launch: KernelLaunch | None = None

    def compile(self, launch: KernelLaunch) -> Diagnosis | None:
        self._launch = launch
        question = CompileLaunch(launch, self._chip.arch, sums=bool(self._demands.accumulators))
        answer, _ = self._worker.ask(question, (), self._caller)
        if isinstance(answer, CannotCompile):
            self.not_compiled = f"`{launch.kernel}` was not compiled: {answer.reason}"
            return None
        if isinstance(answer, Raised):
            return self._diagnose_refusal(answer.error, launch)
        if finding := self._find_excess(answer, launch) or self._find_unmet_demand(answer, launch):
            return finding
        needs = {name: value for name, value in asdict(answer).items() if value is not None}
        for name in ("sums", "products", "dots", "coarse_dots"):
            needs.pop(name, None)
        self.results.append(
            kernel_resources.add_occupancy(
                {
                    "target": self._chip.arch,
                    "kernel": launch.kernel,
                    "variant": launch.variant,
                    **needs,
                }
            )
        )
        return None

    def make_outcome(self, note: str, finding: Diagnosis | None = None) -> Outcome:
        note = self.not_compiled or note
        if not self.results:
            said = {"target": self._chip.arch, "note": note} if note and not finding else None
            return Outcome(said, finding)
        worst = kernel_resources.choose_most_demanding(self.results)
        if len(self.results) > 1:
            worst = {**worst, "kernels": self.results}
        return Outcome({**worst, "note": note} if note else worst, finding)

    def _diagnose_refusal(self, error: LearnerError, launch: KernelLaunch) -> Diagnosis:
        told = translate(error, fallback="compile-error")
        return replace(
            told,
            code="compile-error",
            line=told.line or launch.line,
            message="It works in the interpreter, which runs it as Python, but Triton does not "
            f"compile it for {self._chip.arch}: {told.message}",
        )

    def _find_excess(self, needs: KernelNeeds, launch: KernelLaunch) -> Diagnosis | None:
        chip = self._chip
        asked = (
            (needs.shared_bytes or 0, chip.shared_per_block_optin, "bytes of shared memory"),
            ((needs.warps or 0) * chip.warp_size, chip.threads_per_block, "threads"),
            (needs.tensor_memory or 0, _TENSOR_MEMORY, "columns of tensor memory"),
        )
        for number, limit, what in asked:
            if number > limit:
                advice = (
                    "Use fewer warps."
                    if what == "threads"
                    else "Use smaller blocks or fewer stages."
                )
                where = f" (launched in line {launch.line})" if launch.line else ""
                return Diagnosis(
                    "too-many-resources",
                    "It works in the interpreter, which has no such limit, but a GPU would refuse "
                    f"the launch: `{launch.kernel}` needs {number} {what} a block, and "
                    f"{chip.arch} ({chip.name}) has {limit}{where}. {advice}",
                    line=source_rules.find_launch_settings(self._source, launch.line),
                )
        return None

    def _find_unmet_demand(self, needs: KernelNeeds, launch: KernelLaunch) -> Diagnosis | None:
        """The code runs, but is not what the exercise asks for. Tensor cores are looked for in the
        largest launch, which is compiled first."""
        if other := next(iter(needs.sums or ()), None):
            verb = "computes" if other.what == "operation" else "adds up"
            return Diagnosis(
                "wrong-values" if other.dtype == "float64" else "low-precision",
                f"The numbers are right, but `{launch.kernel}` {verb} in {other.dtype} (line "
                f"{other.line}): {_SUMS[other.what]}. The task asks for "
                f"{self._demands.accumulators}.",
                line=other.line,
            )
        if self._demands.dot and not self.results and needs.dots == 0:
            return Diagnosis(
                "wrong-values",
                f"The numbers are right, but `{launch.kernel}` multiplies no tiles: compiled, it has no "
                "`tl.dot`.",
            )
        if self._demands.dot is False and needs.dots:
            return Diagnosis(
                "wrong-values",
                f"The numbers are right, but compiled `{launch.kernel}` multiplies tiles by `tl.dot`. "
                "Triton makes one of a product that is summed along an axis, too. The task asks for "
                "another way.",
                line=self._find_product(launch),
            )
        if self._demands.strict and needs.coarse_dots:
            return Diagnosis(
                "low-precision",
                f"The numbers are right in the interpreter, but compiled for {self._chip.arch} "
                f"`{launch.kernel}` multiplies tiles of float32 in TF32, which keeps 10 bits of each "
                "factor's fraction. The compiler makes such a product of `tl.sum` over `a * b` too.",
                line=self._find_product(launch),
            )
        most = self._demands.most_spills
        # Factors of float32 take twice the registers: which units multiply comes first.
        if units := self._find_other_units(needs, launch):
            return units
        if most is not None and (needs.spills or 0) > most:
            return Diagnosis(
                "too-many-resources",
                f"The numbers are right, but compiled for {self._chip.arch} `{launch.kernel}` keeps "
                f"{needs.spills} words of each thread in local memory ({needs.registers} registers are "
                f"not enough); at most {most} are allowed. Take more warps, or a smaller tile.",
                line=source_rules.find_launch_settings(self._source, launch.line),
            )
        return None

    def _find_other_units(self, needs: KernelNeeds, launch: KernelLaunch) -> Diagnosis | None:
        """Tensor cores multiply other numbers than the exercise asks for, or none."""
        units = self._demands.units
        if self.results or not units or needs.matrix is None:
            return None
        if units in matrix_units(needs.matrix):
            return self._find_other_factors(needs, launch)
        have = ", ".join(matrix_units(needs.matrix))
        instead = (
            f"its tensor cores multiply {have}"
            if have
            else "it has no instruction of the tensor cores"
        )
        return Diagnosis(
            "no-tensor-cores",
            f"The numbers are right, but compiled for {self._chip.arch} `{launch.kernel}` does not "
            f"multiply {units} on tensor cores: {instead}. Look at the factors of `tl.dot`: which dtype "
            "do they have there, and which `input_precision` is set?",
            line=self._find_product(launch),
        )

    def _find_other_factors(self, needs: KernelNeeds, launch: KernelLaunch) -> Diagnosis | None:
        """One product of several multiplies other numbers than the exercise asks for."""
        units = self._demands.units
        other = next((each for each in needs.products or () if each.factors != units), None)
        if other is None:
            return None
        where = f" (line {other.line})" if other.line else ""
        return Diagnosis(
            "no-tensor-cores",
            f"The numbers are right, but for {self._chip.arch} one `tl.dot` of `{launch.kernel}` "
            f"multiplies {other.factors}{where}. The task asks for {units} in each. Which dtype do its "
            "factors have, and which `input_precision` is set?",
            line=other.line or self._find_product(launch),
        )

    def _find_product(self, launch: KernelLaunch) -> int | None:
        """Return the line of the kernel's `tl.dot`; None where there are several, or none."""
        return source_rules.find_only_call(self._source, launch.kernel, "dot")

    def diagnose_crash(self, stop: WorkerStopped) -> Diagnosis:
        name = self._launch.kernel if self._launch else "?"
        return Diagnosis(
            "compile-error",
            f"It works in the interpreter, but compiling `{name}` for "
            f"{self._chip.arch} ended Triton's compiler itself: {stop}.",
            line=self._launch.line if self._launch else None,
        )


def _format_left_out(count: int, of: int) -> str:
    return f"compiled {count} of {of} variants" if count < of else ""
