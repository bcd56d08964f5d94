"""How fast: the learner's function, PyTorch eager and torch.compile, in one go on one device.

The learner's function is timed in its worker, the two yardsticks here, in the trusted process, in
turns of a few samples each and in random order, so that a drifting clock meets all alike.
"""

import contextlib
import fcntl
import functools
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from tutor import paths
from tutor.hardware import devices, roofline
from tutor.judge import compare, shared, stats, timing
from tutor.judge.pool import Limits, Worker
from tutor.judge.reference import Args, Reference, make
from tutor.judge.translate import translate
from tutor.judge.verdict import Diagnosis, Roofline, Sample, Timing
from tutor.judge.wire import Channel, Message

SECONDS = 0.3  # for each of the three
LOWER_SECONDS = 120.0  # the first C++ compilation on a slow machine
SETUP_SECONDS = 30.0
LOCK_SECONDS = 30.0
ROUND = 8
RING = 3
_ACCOUNTED = 0.25  # of a round's time, that the samples in it must add up to
_MESSAGE_MS = 2.0
_BELIEVABLE = 1.02  # measured over limit; below 1/this the clock or the work is wrong


class Failed(Exception):
    """It was right on the cases and is not when timed; `finding` says how."""

    def __init__(self, finding: Diagnosis) -> None:
        super().__init__(finding.message)
        self.finding = finding


@dataclass(frozen=True)
class Measured:
    timing: Timing | None
    resources: dict[str, Any] | None = None
    kernels: int | None = None


def measure(
    worker: Worker, reference: Reference, kind: str, mode: str, seed: int, caller: Channel
) -> Measured:
    """Raises `Failed`, and `pool.Stopped` as every worker's call does."""
    if kind == "compiled" and mode == "compile" and not shutil.which("g++"):
        return Measured(None)
    device = "cuda" if mode == "cuda" else "cpu"
    case = reference.timing if device == "cuda" else reference.timing_cpu
    assert case is not None
    args = make(case, seed, device)
    shifts = [random.randrange(1, 1 << 16) for _ in range(RING)]
    kernels = None
    threads = len(os.sched_getaffinity(0))  # the learner's function and the yardsticks get as many
    torch.set_num_threads(threads)
    if kind == "compiled":
        worker.begin(Limits(LOWER_SECONDS, worker.limits.memory_bytes * 2))
        kernels = int(_send(worker, {"do": "lower", "threads": threads}, args, caller)["kernels"])
    worker.begin(Limits(SETUP_SECONDS, worker.limits.memory_bytes * 2))
    ready = _send(worker, {"do": "time", "shifts": shifts, "threads": threads}, args, caller)
    ring = timing.ring(args, shifts)
    yardsticks = _yardsticks(reference, ring, device)
    with _alone(device):
        samples, rounds = _sample(worker, yardsticks, ring, caller)
    if device == "cpu":
        _check_clock(rounds)
    _check_output(worker, reference, ring, caller)
    taken = {name: stats.summary(times) for name, times in samples.items()}
    work = reference.work(*args)
    return Measured(_timing(taken, work.bytes, work.flops, device), ready.get("resources"), kernels)


def _send(worker: Worker, message: Message, args: Args, caller: Channel) -> Message:
    from tutor.judge.cases import arguments

    tensors = [a.cpu() for a in args if isinstance(a, torch.Tensor)]
    buffer, layouts = shared.filled(tensors)
    fd = shared.memory_file("inputs", buffer)
    try:
        reply, _ = worker.ask({**message, "args": arguments(args, layouts)}, (fd,), caller)
    finally:
        os.close(fd)
    if "raised" in reply:
        raise Failed(translate(reply["raised"], "", "the large input that is timed"))
    return reply


def _yardsticks(
    reference: Reference, ring: list[Args], device: str
) -> dict[str, Callable[..., Any]]:
    """Eager and compiled, each called once on every input of the ring."""
    found: dict[str, Callable[..., Any]] = {"eager": reference.eager}
    if device == "cuda" or shutil.which("g++"):
        found["compiled"] = _compiled(reference.eager)
    for name, function in list(found.items()):
        try:
            for args in ring:
                function(*args)
        except Exception:
            # A yardstick that this machine's compiler cannot build is left out, not the verdict.
            del found[name]
    if device == "cuda":
        torch.cuda.synchronize()
    return found


@functools.cache
def _compiled(eager: Callable[..., Any]) -> Callable[..., Any]:
    """Compiled once for the server's life: the next submission to the exercise does not wait again."""
    compiled: Callable[..., Any] = torch.compile(eager)
    return compiled


@contextlib.contextmanager
def _alone(device: str) -> Iterator[None]:
    """While another tutor times on this machine's GPU, wait; after half a minute time all the same."""
    if device != "cuda":
        yield
        return
    path = paths.cache_dir() / "gpu.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        deadline = time.monotonic() + LOCK_SECONDS
        while time.monotonic() < deadline:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(0.05)
        yield  # closing the file frees the lock, also when this process is killed


def _sample(
    worker: Worker, yardsticks: dict[str, Callable[..., Any]], ring: list[Args], caller: Channel
) -> tuple[dict[str, list[float]], list[tuple[float, float]]]:
    """Milliseconds of each; and for each of the learner's rounds what it says it took in all, and what
    it took by this process's clock."""
    rounds: list[tuple[float, float]] = []
    times: dict[str, list[float]] = {name: [] for name in ("learner", *yardsticks)}
    spent = dict.fromkeys(times, 0.0)
    worker.begin(Limits(SETUP_SECONDS, worker.limits.memory_bytes))
    while True:
        open_ones = [
            n for n in times
            if not stats.enough(times[n])
            and (spent[n] < SECONDS or len(times[n]) < stats.MIN_SAMPLES)
        ]  # fmt: skip
        if not open_ones:
            return times, rounds
        random.shuffle(open_ones)
        for name in open_ones:
            started = time.perf_counter()
            if name == "learner":
                reply, _ = worker.ask({"do": "round", "samples": ROUND}, (), caller)
                said = [float(t) for t in reply["ms"]]
                times[name] += said
                rounds.append((sum(said), (time.perf_counter() - started) * 1e3))
            else:
                times[name] += timing.round_of(yardsticks[name], ring, ROUND)
            spent[name] += time.perf_counter() - started


def _check_clock(rounds: list[tuple[float, float]]) -> None:
    """The worker's clock against this process's: the learner's code could have replaced the former.

    A round costs a message and its answer besides, well under a millisecond where a core is free; a
    busy machine delays some rounds, not all.
    """
    # Written so that a NaN accounts for nothing.
    if not any(said >= wall * _ACCOUNTED or wall - said <= _MESSAGE_MS for said, wall in rounds):
        said, wall = rounds[0]
        raise Failed(
            Diagnosis(
                "tampering",
                f"By your process's clock {ROUND} calls took {said:.3g} ms, by the judge's "
                f"{wall:.3g} ms: the clock was changed, and the times are not believed.",
            )
        )


def _check_output(worker: Worker, reference: Reference, ring: list[Args], caller: Channel) -> None:
    """One of the timed calls again, compared: what is timed must be what was judged."""
    which = random.randrange(len(ring))
    args = ring[which]
    reply, fds = worker.ask({"do": "output", "which": which}, (), caller)
    try:
        want = reference.want(args).cpu()
        eager = reference.eager(*args).cpu()
        data = shared.read_file(fds[0], eager.numel() * eager.element_size()) if fds else None
        same = data is not None and reply.get("shape") == list(want.shape)
        if same and data is not None:
            got = data.view(eager.dtype).reshape(want.shape)
            scale = reference.magnitude(args, want, eager.dtype)
            scale = scale.cpu() if isinstance(scale, torch.Tensor) else scale
            same = compare.compare(got, want, scale, eager).passed
        if not same:
            raise Failed(
                Diagnosis(
                    "stale-output",
                    "Right on the cases, wrong on one of the inputs it was timed on: does it keep "
                    "a result from an earlier call, or skip work for large inputs?",
                )
            )
    finally:
        for fd in fds:
            os.close(fd)


def _timing(taken: dict[str, Sample], nbytes: int, flops: int, device: str) -> Timing:
    learner = taken["learner"]
    bandwidth, peak, source = _peaks(device, nbytes)
    least = roofline.limit(nbytes, flops, bandwidth, peak)
    fraction = least.ms / learner.median_ms if learner.median_ms > 0 else float("inf")
    note = ""
    if fraction > _BELIEVABLE:
        note = (
            f"Quicker than the {least.bound} limit allows ({fraction:.2f} of it): not believed. "
            "Part of the data was still in a cache, or part of the work was not done."
        )
    return Timing(
        learner=learner,
        eager=taken.get("eager"),
        compiled=taken.get("compiled"),
        roofline=Roofline(nbytes, flops, least.ms, fraction, least.bound, source),
        note=note,
    )


def _peaks(device: str, nbytes: int) -> tuple[float, float, str]:
    """Bandwidth in bytes/s, FLOP/s, and where they come from."""
    if device == "cuda":
        name = torch.cuda.get_device_name(0)
        known = devices.find(name)
        if known:
            said = f"{known.bandwidth / 1e12:g} TB/s, {known.fp32 / 1e12:g} TFLOP/s fp32"
            return known.bandwidth, known.fp32, f"{said}: {known.source}"
    bandwidth = _copy_bandwidth(device, nbytes)
    return bandwidth, float("inf"), f"{bandwidth / 1e9:.1f} GB/s measured here by copying"


def _copy_bandwidth(device: str, nbytes: int) -> float:
    """The best of a few copies that move `nbytes`, reads plus writes, a second."""
    source = torch.ones(max(1, nbytes // 8), device=device)
    target = torch.empty_like(source)
    times = timing.round_of(lambda s: target.copy_(s), [(source,)], 7)
    return 2 * source.numel() * source.element_size() / (min(times) * 1e-3)
