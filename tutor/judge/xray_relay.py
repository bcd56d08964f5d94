"""X-rays for callers: the path of a request between them and the worker. No torch in here.

The learner's code runs in a limited worker that is used once.
"""

from collections.abc import Callable, Sequence

from tutor.base.errors import CannotHere, make_refusal
from tutor.judge.processes.limits import WorkerLimits, WorkerStopped
from tutor.judge.processes.wire import Channel
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import XrayRefused
from tutor.judge.processes.worker_messages.questions import RunXray
from tutor.xray.model.compiler import INDUCTOR, Compiler, place_of
from tutor.xray.model.stages import (
    Event,
    Failure,
    Link,
    Links,
    Omission,
    Request,
    Stage,
    Xray,
    XrayDone,
)

SECONDS = 120.0
SECONDS_OF_PASSES = 600.0  # where passes are left out in turn: a lowering each
MEMORY_BYTES = 6 << 30
_MOST_BYTES = 256 << 20  # of all texts and links of one request

# The failure of a request that was cancelled, by its caller or by another call of the judge.
STOPPED = "stopped: stopped on request"

XrayPart = Stage | Failure | Links | Omission


def run_xray(
    worker: WorkerHandle, request: Request, caller: Channel, on_part: Callable[[XrayPart], None]
) -> XrayDone:
    """Have `worker` answer the request, and end it. Raises `UsageError` or `CannotHere` for a
    request that cannot start or whose inputs do not fit."""
    seconds = SECONDS_OF_PASSES if request.without else SECONDS
    limits = WorkerLimits(seconds, MEMORY_BYTES)
    worker.begin(limits)
    question = RunXray(request, limits.memory_bytes, seconds)
    received = 0
    try:
        worker.post(question)
        while True:
            answer, _ = worker.answer(question, caller)
            if not isinstance(answer, XrayPart):
                break
            received += _size(answer)
            if received > _MOST_BYTES:
                raise WorkerStopped(
                    "too-much-output", f"more than {_MOST_BYTES >> 20} MiB of stages"
                )
            on_part(answer)
    except WorkerStopped as stop:
        on_part(Failure("", STOPPED if stop.code == "cancelled" else f"stopped: {stop}"))
        return XrayDone("pretend", 1)
    finally:
        worker.kill()
    if isinstance(answer, XrayRefused):
        raise make_refusal(answer.reason, answer.status, answer.missing_inputs)
    return answer


class PartsOnce:
    """Passes parts on; of what several compilers share (the source, the exported graph) the first."""

    def __init__(self, send: Callable[[XrayPart], None]) -> None:
        self._send = send
        self._stages: set[str] = set()
        self._failures: set[Failure] = set()
        self._linked: set[Link] = set()

    def of(self, compiler: Compiler) -> Callable[[XrayPart], None]:
        """Return `send` for the parts of one compiler: a failure that names no stage names it."""

        def send(part: XrayPart) -> None:
            if isinstance(part, Failure) and not part.stage and compiler is not INDUCTOR:
                part = Failure(f"{compiler.name}/", part.sentence)
            self.send(part)

        return send

    def send(self, part: XrayPart) -> None:
        if isinstance(part, Stage):
            if part.key not in self._stages:
                self._stages.add(part.key)
                self._send(part)
        elif isinstance(part, Failure):
            if part not in self._failures:
                self._failures.add(part)
                self._send(part)
        elif isinstance(part, Omission):
            self._send(part)
        else:
            shared = {link for link in part.links if link.target == "exported"}
            links = tuple(link for link in part.links if link not in self._linked)
            self._linked |= shared
            if links:
                self._send(Links(links))


def join_dones(dones: Sequence[XrayDone]) -> XrayDone:
    """Return the end of all of a request's compilers: code that failed counts before what is missing."""
    statuses = {done.status for done in dones}
    first = [status for status in (1, CannotHere.exit_status, 0) if status in statuses]
    real = any(done.device == "real" for done in dones)
    return XrayDone("real" if real else "pretend", first[0] if first else 0)


def _size(part: XrayPart) -> int:
    if isinstance(part, Stage):
        return len(part.text)
    if isinstance(part, Omission):
        return sum(len(text) for _, text in part.texts)
    return 64 * len(part.links) if isinstance(part, Links) else 0


def collect_xray(target: str, done: XrayDone | None, events: list[Event]) -> Xray:
    """Return the events as one value, the stages in the contract's order: the function's own as they
    came, then those of each kernel together, then the output of torch's channels;
    after Inductor's the other compilers'."""
    stages = [event for event in events if isinstance(event, Stage)]
    kernels = list(dict.fromkeys(s.kernel for s in stages if s.name in INDUCTOR.unit_stages))

    def place(stage: Stage) -> tuple[int, int, int]:
        compiler, rank = place_of(stage)
        if compiler or stage.compiler != INDUCTOR.name:
            return compiler, rank, 0
        if stage.name == "log":
            return 0, len(kernels), 0
        if stage.name not in INDUCTOR.unit_stages:
            return 0, -1, 0
        return 0, kernels.index(stage.kernel), rank

    return Xray(
        target=target,
        device=done.device if done else "pretend",
        stages=tuple(sorted(stages, key=place)),
        links=tuple(event for event in events if isinstance(event, Link)),
        failures=tuple(event for event in events if isinstance(event, Failure)),
        omissions=tuple(
            sorted(
                (event for event in events if isinstance(event, Omission)),
                key=lambda row: (kernels.index(row.kernel), row.place),
            )
        ),
    )
