"""Checks that a time is credible: clocks, streams, the cache, and the computed output."""

import os
import random
import statistics

from tutor.base.number_text import tell_apart
from tutor.judge.cases.reference import Args, Reference
from tutor.judge.comparison import compare
from tutor.judge.model.verdict import Diagnosis
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.wire import Channel
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import HostTimes
from tutor.judge.processes.worker_messages.questions import FetchOutput

_ACCOUNTED = 0.25  # share of a round's time that its samples have to add up to
_MESSAGE_MS = 2.0
# Limit on the device's busy time after a call has returned, relative to the events' time of the
# call.
_STREAMS, _STREAMS_MS = 1.5, 0.025
_SHARED_MS = 0.1  # most empty launches take this long if another program shares the device
_PIECES, _PIECE_BYTES = 64, 1 << 17  # of a timed output


class Failed(Exception):
    """The function was right on the cases and is not when timed; `finding` says how."""

    def __init__(self, finding: Diagnosis) -> None:
        super().__init__(finding.message)
        self.finding = finding


def clock_agrees(rounds: list[tuple[float, float]]) -> bool:
    """Return True if the worker's clock agrees with this process's in at least one round: the sum of
    the reported call times and the time measured here, in milliseconds.

    A round also costs a message and its answer, well under a millisecond if a core is free. A busy
    machine delays some rounds, not all.
    """
    # Written so that a NaN fails the test.
    return any(said >= wall * _ACCOUNTED or wall - said <= _MESSAGE_MS for said, wall in rounds)


def check_clock(rounds: list[tuple[float, float]]) -> None:
    """Check the worker's clock: the learner's code shares its process and could have replaced it."""
    if not clock_agrees(rounds):
        said, wall = tell_apart(*rounds[0], digits=3)
        raise Failed(
            Diagnosis(
                "tampering",
                f"By your process's clock a round of calls took {said} ms, by the judge's "
                f"{wall} ms: the clock was changed, and the times are not believed.",
            )
        )


def saw_whole_input(host: HostTimes, median_ms: float) -> bool:
    """Return True if in at least one call the device was idle as soon as events say. See
    `check_device`."""
    least: float = min(host.rest_ms)
    return least <= _STREAMS * median_ms + _STREAMS_MS  # False for a NaN


def check_device(host: HostTimes, median_ms: float) -> str:
    """Check for work that the events did not see, and for cache lines that a flush does not evict.
    `host` holds the worker's answers to the question of that name, `median_ms` is the learner's time
    by events.

    Returns a sentence that says why a time is not credible if another program keeps the device busy,
    because such work is then not visible. Returns "" if all is well.
    """
    doubt = ""
    if not saw_whole_input(host, median_ms):
        waited = statistics.median(host.empty_ms)
        if not waited > _SHARED_MS:
            seen, busy = tell_apart(median_ms, min(host.rest_ms), digits=3)
            raise Failed(
                Diagnosis(
                    "wrong-stream",
                    f"Events on the current stream saw {seen} ms of a call, and the device "
                    f"was busy for {busy} ms after it had returned: launch on the "
                    "stream that is current, or have it wait for yours.",
                )
            )
        doubt = (
            f"Not believed: another program uses this GPU, and an empty launch waited {waited:.3g} ms "
            "for it. Time it again when the GPU is free."
        )
    if host.persisting > 0:
        raise Failed(
            Diagnosis(
                "tampering",
                f"{host.persisting >> 10} KiB of the L2 cache were set aside for lines that persist, "
                "so that overwriting the cache between two calls does not evict them.",
            )
        )
    return doubt


def check_output(worker: WorkerHandle, reference: Reference, args: Args, caller: Channel) -> None:
    """Compare the output of a timed call: the timed function must be the judged one. Of a large
    output its ends and random pieces are compared, because fetching all of it takes longer than
    everything else."""
    want, eager = reference.want(args), reference.eager(*args)
    pieces = pieces_of(eager.numel(), eager.element_size())
    reply, fds = worker.ask(FetchOutput(pieces), (), caller)
    try:
        fetched = sum(count for _, count in pieces)
        data = shared_tensors.read_file(fds[0], fetched * eager.element_size()) if fds else None
        same = data is not None and reply.shape == tuple(want.shape)
        if same and data is not None:
            # On the inputs' device: a GPU needs a hundredth of a CPU's time. Elements that were not
            # fetched are eager's own, which are right.
            got = eager.reshape(-1).clone()
            parts, done = data.view(eager.dtype).to(got.device), 0
            for start, count in pieces:
                got[start : start + count] = parts[done : done + count]
                done += count
            scale = reference.magnitude(args, want, eager.dtype)
            same = compare.compare_output(
                got.reshape(want.shape), want, scale, eager, reference.precision
            ).passed
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


def pieces_of(elements: int, size: int) -> list[tuple[int, int]]:
    """Return start and length, in elements of `size` bytes, of the pieces fetched of an output."""
    count = _PIECE_BYTES // size
    if elements <= _PIECES * count:
        return [(0, elements)]
    last = elements - count
    drawn = random.SystemRandom().choices(range(last), k=_PIECES - 2)
    return [(start, count) for start in (0, *sorted(drawn), last)]
