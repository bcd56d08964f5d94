"""What has to agree before a time is believed: clocks, streams, the cache, and what was computed."""

import os

from tutor.judge import compare, shared
from tutor.judge.pool import Worker
from tutor.judge.reference import Args, Reference
from tutor.judge.verdict import Diagnosis
from tutor.judge.wire import Channel, Message

_ACCOUNTED = 0.25  # of a round's time, that the samples in it must add up to
_MESSAGE_MS = 2.0
# What the device may be busy for once a call has returned, over what events around a call say.
_STREAMS, _STREAMS_MS = 1.5, 0.025


class Failed(Exception):
    """It was right on the cases and is not when timed; `finding` says how."""

    def __init__(self, finding: Diagnosis) -> None:
        super().__init__(finding.message)
        self.finding = finding


def clock_agrees(rounds: list[tuple[float, float]]) -> bool:
    """Whether the worker's clock agrees with this process's in at least one round: what it says its
    calls took in all, and what that took here, in milliseconds.

    A round costs a message and its answer besides, well under a millisecond where a core is free; a
    busy machine delays some rounds, not all.
    """
    # Written so that a NaN accounts for nothing.
    return any(said >= wall * _ACCOUNTED or wall - said <= _MESSAGE_MS for said, wall in rounds)


def check_clock(rounds: list[tuple[float, float]]) -> None:
    """The learner's code shares its process with the clock and could have replaced it."""
    if not clock_agrees(rounds):
        said, wall = rounds[0]
        raise Failed(
            Diagnosis(
                "tampering",
                f"By your process's clock a round of calls took {said:.3g} ms, by the judge's "
                f"{wall:.3g} ms: the clock was changed, and the times are not believed.",
            )
        )


def check_device(host: Message, median_ms: float) -> None:
    """Work that the events did not see, and lines that a flush does not evict. `host` is the worker's
    answer to the question of that name, `median_ms` the learner's time by events."""
    rest = min(host["rest_ms"])
    if not rest <= _STREAMS * median_ms + _STREAMS_MS:
        raise Failed(
            Diagnosis(
                "wrong-stream",
                f"Events on the current stream saw {median_ms:.3g} ms of a call, and the device was "
                f"busy for {rest:.3g} ms after it had returned: launch on the stream that is current, "
                "or have it wait for yours.",
            )
        )
    if host["persisting"] > 0:
        raise Failed(
            Diagnosis(
                "tampering",
                f"{host['persisting'] >> 10} KiB of the L2 cache were set aside for lines that persist, "
                "so that overwriting the cache between two calls does not evict them.",
            )
        )


def check_output(worker: Worker, reference: Reference, args: Args, caller: Channel) -> None:
    """The output of a call that was timed, compared: what is timed must be what was judged."""
    reply, fds = worker.ask({"do": "output"}, (), caller)
    try:
        want, eager = reference.want(args), reference.eager(*args)
        data = shared.read_file(fds[0], eager.numel() * eager.element_size()) if fds else None
        same = data is not None and reply.get("shape") == list(want.shape)
        if same and data is not None:
            # Where the inputs are: on a GPU this takes a hundredth of what it takes on a CPU.
            got = data.view(eager.dtype).reshape(want.shape).to(want.device)
            scale = reference.magnitude(args, want, eager.dtype)
            same = compare.compare(got, want, scale, eager, reference.precision).passed
        if not same:
            raise Failed(
                Diagnosis(
                    "stale-output",
                    "Right on the cases, wrong in a call that was timed: does it keep a result from "
                    "an earlier call, or skip work for large inputs?",
                )
            )
    finally:
        for fd in fds:
            os.close(fd)
