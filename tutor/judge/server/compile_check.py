"""What passes in the interpreter, compiled for the learner's GPU: the server's side.

The interpreter runs Python and knows no limits, so a kernel may pass there that no GPU runs. Each
launch it saw is compiled (`offline_worker`), those that differ only in sizes once.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from tutor.hardware.targets import Target
from tutor.hardware.targets import target as target_named
from tutor.judge.diagnosis.error_messages import translate
from tutor.judge.model.verdict import Diagnosis
from tutor.judge.processes import kernel_resources
from tutor.judge.processes.limits import Limits, Stopped
from tutor.judge.processes.wire import Channel, Message
from tutor.judge.processes.worker_handle import Worker

SECONDS = 20.0
MEMORY_BYTES = 6 << 30
MOST = 8  # kernels compiled for one submission
_ENOUGH_SECONDS = 1.0  # of compiling, after which only what must be looked at is begun
_TENSOR_MEMORY = (
    512  # columns a block, on Blackwell (triton.compiler, CompiledKernel._init_handles)
)


@dataclass(frozen=True)
class Outcome:
    """`resources` as in the contract; `finding` where a GPU would refuse the kernel."""

    resources: dict[str, Any] | None = None
    finding: Diagnosis | None = None


def compiled(
    worker: Worker,
    source: str,
    filename: str,
    target: str,
    seen: Iterable[Message],
    caller: Channel,
) -> Outcome:
    """Compile what the interpreter's reports say was launched. `worker` is of mode "offline".

    Raises `Stopped` with the code "cancelled" only.
    """
    chip = target_named(target)
    work = _Work(worker, chip, caller)
    order = _ordered(seen)
    if not order:
        return Outcome()
    try:
        worker.begin(Limits(SECONDS, MEMORY_BYTES))
        loaded = work.ask({"do": "load", "source": source, "filename": filename,
                           "memory_bytes": MEMORY_BYTES})  # fmt: skip
        started = time.monotonic()
        if "failed" in loaded:
            return work.outcome("the file does not load without the interpreter")
        for launch, needed in order:
            late = time.monotonic() - started > _ENOUGH_SECONDS
            if len(work.found) >= MOST or (late and not needed):
                break
            if finding := work.compile(launch):
                return work.outcome("", finding)
    except Stopped as stop:
        if stop.code == "cancelled":
            raise
        if stop.code == "crash":
            return work.outcome("", work.crashed(stop))
        return work.outcome(f"compiling was stopped: {stop}")
    return work.outcome(_left_out(len(work.found), len(order)))


def _ordered(seen: Iterable[Message]) -> list[tuple[Message, bool]]:
    """Each kind of launch by its largest, and whether it must be looked at: the largest and the
    smallest of each kernel, for limits are met by the one and least sizes by the other."""
    largest: dict[str, Message] = {}
    for report in seen:
        for launch in report.get("kernels", ()):
            known = largest.get(launch["key"])
            if known is None or known["elements"] < launch["elements"]:
                largest[launch["key"]] = launch
    launches = sorted(largest.values(), key=lambda each: -each["elements"])
    by_kernel: dict[tuple[str, int], list[Message]] = {}
    for launch in launches:
        by_kernel.setdefault((launch["kernel"], launch["defined"]), []).append(launch)
    ends = [group[i] for i in (0, -1) for group in by_kernel.values() if i == 0 or len(group) > 1]
    return [(each, True) for each in ends] + [
        (each, False) for each in launches if not any(each is end for end in ends)
    ]


class _Work:
    """The launches compiled so far."""

    def __init__(self, worker: Worker, chip: Target, caller: Channel) -> None:
        self.found: list[dict[str, Any]] = []
        self.unknown = ""  # why a launch could not be compiled, where that says nothing of it
        self._worker, self._chip, self._caller = worker, chip, caller
        self._launch: Message = {}

    def ask(self, message: Message) -> Message:
        return self._worker.ask(message, (), self._caller)[0]

    def compile(self, launch: Message) -> Diagnosis | None:
        self._launch = launch
        reply = self.ask({"do": "compile", "launch": launch, "target": self._chip.arch})
        if "cannot" in reply:
            self.unknown = f"`{launch['kernel']}` was not compiled: {reply['cannot']}"
            return None
        if "raised" in reply:
            return self._refused(reply["raised"])
        needs = reply["needs"]
        if finding := self._too_much(needs):
            return finding
        self.found.append(
            kernel_resources.with_occupancy(
                {
                    "target": self._chip.arch,
                    "kernel": launch["kernel"],
                    "variant": launch["variant"],
                    **needs,
                }
            )
        )
        return None

    def outcome(self, note: str, finding: Diagnosis | None = None) -> Outcome:
        note = self.unknown or note
        if not self.found:
            said = {"target": self._chip.arch, "note": note} if note and not finding else None
            return Outcome(said, finding)
        worst = kernel_resources.most_demanding(self.found)
        if len(self.found) > 1:
            worst = {**worst, "kernels": self.found}
        return Outcome({**worst, "note": note} if note else worst, finding)

    def _refused(self, error: dict[str, Any]) -> Diagnosis:
        told = translate(error, fallback="compile-error")
        return replace(
            told,
            code="compile-error",
            message="It works in the interpreter, which runs it as Python, but Triton does not "
            f"compile it for {self._chip.arch}: {told.message}",
        )

    def _too_much(self, needs: dict[str, int]) -> Diagnosis | None:
        chip = self._chip
        asked = (
            (needs.get("shared_bytes", 0), chip.shared_per_block_optin, "bytes of shared memory"),
            (needs.get("warps", 0) * chip.warp_size, chip.threads_per_block, "threads"),
            (needs.get("tensor_memory", 0), _TENSOR_MEMORY, "columns of tensor memory"),
        )
        for number, limit, what in asked:
            if number > limit:
                advice = (
                    "Use fewer warps."
                    if what == "threads"
                    else "Use smaller blocks or fewer stages."
                )
                line = self._launch["line"]
                where = f" (launched in line {line})" if line else ""
                return Diagnosis(
                    "too-many-resources",
                    "It works in the interpreter, which has no such limit, but a GPU would refuse "
                    f"the launch: `{self._launch['kernel']}` needs {number} {what} a block, and "
                    f"{chip.arch} ({chip.name}) has {limit}{where}. {advice}",
                    line=line,
                )
        return None

    def crashed(self, stop: Stopped) -> Diagnosis:
        return Diagnosis(
            "compile-error",
            f"It works in the interpreter, but compiling `{self._launch.get('kernel', '?')}` for "
            f"{self._chip.arch} ended Triton's compiler itself: {stop}.",
            line=self._launch.get("line"),
        )


def _left_out(found: int, of: int) -> str:
    return f"compiled {found} of {of} variants" if found < of else ""
