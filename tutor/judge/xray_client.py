"""X-rays for callers: what happens to a request between them and the worker. No torch in here.

`Judge.xray` asks the warm server; `once` runs one request in processes of its own, for the command
line. Either way the learner's code runs in a worker of its own, limited and thrown away.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tutor.base.errors import CannotHere, UsageError
from tutor.judge.processes.limits import Limits, Stopped
from tutor.judge.processes.wire import Channel, Message, pair
from tutor.judge.processes.worker_handle import Worker
from tutor.judge.processes.zygote_handle import Zygote
from tutor.xray.model.stages import (
    KERNEL_STAGES,
    Device,
    Event,
    Failure,
    Link,
    Request,
    Stage,
    Xray,
)

SECONDS = 120.0
MEMORY_BYTES = 6 << 30
_MOST_BYTES = 256 << 20  # of all texts and links of one request


@dataclass(frozen=True)
class XrayDone:
    """The last event of an X-ray. `status` as the command's exit status: 0 all was had, 1 the
    learner's code failed, 3 this machine lacks something."""

    device: Device
    status: int


XrayEvent = Event | XrayDone


def events_of(part: Message) -> Iterator[Event]:
    """The events that one part carries."""
    if "stage" in part:
        yield Stage.from_json(part["stage"])
    elif "failure" in part:
        yield Failure.from_json(part["failure"])
    else:
        yield from (Link(*each) for each in part["links"])


def ask(worker: Worker, request: Message, caller: Channel,
        on_part: Callable[[Message], None]) -> XrayDone:  # fmt: skip
    """Have `worker` answer the request, and end it. Raises `UsageError` or `CannotHere` where the
    request could not be begun or its inputs do not fit."""
    limits = Limits(SECONDS, MEMORY_BYTES)
    sent = 0

    def counted(part: Message) -> None:
        nonlocal sent
        sent += len(part["stage"]["text"]) if "stage" in part else 64 * len(part.get("links", ()))
        if sent > _MOST_BYTES:
            raise Stopped("too-much-output", f"more than {_MOST_BYTES >> 20} MiB of stages")
        on_part(part)

    worker.begin(limits)
    message = {"do": "xray", "request": request, "memory_bytes": limits.memory_bytes}
    try:
        reply, _ = worker.ask(message, (), caller, counted)
    except Stopped as stop:
        on_part({"failure": Failure("", f"stopped: {stop}").to_json()})
        return XrayDone("pretend", 1)
    finally:
        worker.kill()
    if "refused" in reply:
        kind = UsageError if reply["status"] == UsageError.exit_status else CannotHere
        raise kind(reply["refused"])
    return XrayDone(reply["device"], reply["status"])


def once(
    request: Request, environment: dict[str, str], on_event: Callable[[Event], None]
) -> XrayDone:
    """One X-ray from a cold start; `on_event` is called as things are found.

    Nothing is imported for it that the learner's file does not need. Raises as `ask`.
    """

    def forward(part: Message) -> None:
        for event in events_of(part):
            on_event(event)

    zygote = Zygote("xray", 0, environment)
    silent, caller = pair()  # nobody speaks on it: ctrl+c ends this process, and that the worker
    try:
        return ask(zygote.take(), request.to_json(), caller, forward)
    finally:
        zygote.close()
        silent.close()
        caller.close()


def collected(target: str, done: XrayDone | None, events: list[Event]) -> Xray:
    """The events as one value, the stages in the contract's order: the function's own as they came,
    then those of each kernel together, then what torch's channels said."""
    stages = [event for event in events if isinstance(event, Stage)]
    kernels = list(dict.fromkeys(s.kernel for s in stages if s.name in KERNEL_STAGES))

    def place(stage: Stage) -> tuple[int, int]:
        if stage.name == "log":
            return len(kernels), 0
        if stage.name not in KERNEL_STAGES:
            return -1, 0
        return kernels.index(stage.kernel), KERNEL_STAGES.index(stage.name)

    return Xray(
        target=target,
        device=done.device if done else "pretend",
        stages=tuple(sorted(stages, key=place)),
        links=tuple(event for event in events if isinstance(event, Link)),
        failures=tuple(event for event in events if isinstance(event, Failure)),
    )
