"""Timing of the learner's function, PyTorch eager and torch.compile, together on one device.

The learner's function is timed in its worker, eager here in the trusted process, torch.compile of
eager in a separate process. They take turns of a few samples each in random order, so that a
drifting clock affects all equally. Interim figures are yielded early; torch.compile comes at the
end.
"""

import contextlib
import math
import os
import random
import shutil
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace

import torch

from tutor.course.model import Exercise
from tutor.hardware.gpu_lock import hold_gpu
from tutor.judge.cases.reference import Reference
from tutor.judge.diagnosis.error_messages import translate
from tutor.judge.model.verdict import Profile, Sample, Timing
from tutor.judge.processes.limits import WorkerLimits
from tutor.judge.processes.wire import Channel
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import (
    FunctionLowered,
    HostTimes,
    LaidOut,
    Raised,
    RoundTimes,
)
from tutor.judge.processes.worker_messages.questions import (
    LayOut,
    Lower,
    ProfileCalls,
    TimeHost,
    TimeRound,
)
from tutor.judge.processes.worker_messages.records import KernelResources
from tutor.judge.sampling import median as stats
from tutor.judge.sampling import samples
from tutor.judge.sampling.kernel_profile import MAX_KERNELS, MAX_NAME
from tutor.judge.timing import checks
from tutor.judge.timing.baseline_client import CompiledBaseline, Key
from tutor.judge.timing.checks import Failed
from tutor.judge.timing.plausibility import DeviceRoofs
from tutor.judge.timing.timed_inputs import TimedInputs

SECONDS = 0.3  # at most, for each
AT_LEAST_SECONDS = 0.08  # for each: clocks that have just risen are not typical
# Half the learner's interval over its median on a GPU. A second measurement must lie within 1 %.
REPEATABLE = 0.005
EVERY_SECONDS = 0.1  # between two interim figures
LOWER_SECONDS = 120.0  # the first C++ compilation on a slow machine
SETUP_SECONDS = 30.0
ROUND = 8  # samples; on a GPU, if they are known to be short, a whole backlog of them
_SHORT_MS = 2.0
RING = 3
PROFILED_CALLS = 50
_LOOKS = 5  # attempts if a host and a device seem not to agree
_HOST_BOUND = 1.5  # host time of a call over the device's
_MOSTLY_LAUNCH = 2.0  # a call over an empty launch

NONE_SEEN = (
    "torch.profiler saw no kernel: CUPTI is not available here (in a container it may need rights "
    "that the host withholds, and no other profiler may run at the same time)."
)


class Measuring:
    """The timing of one submission. `run` is called once. Then `timing` holds the last figures that
    passed the checks; `resources`, `lowered` and `least_bytes` hold the worker's findings."""

    def __init__(
        self,
        exercise: Exercise,
        reference: Reference,
        worker: WorkerHandle,
        *,
        mode: str,
        seed: int,
        caller: Channel,
        compiled: CompiledBaseline,
    ) -> None:
        self.timing: Timing | None = None
        self.resources: KernelResources | None = None
        self.lowered: FunctionLowered | None = None
        self.least_bytes: int | None = None  # that a lowered function has to move
        self._exercise, self._reference, self._worker = exercise, reference, worker
        self._mode, self._seed, self._caller = mode, seed, caller
        self._samples = ROUND
        self._compiled = compiled
        self._shifts = [random.randrange(1, 1 << 16) for _ in range(RING)]
        self._times: dict[str, list[float]] = {}
        self._spent: dict[str, float] = {}
        self._clocks: list[tuple[float, float]] = []  # the learner's rounds, for `clock_agrees`
        self._kept = 0  # index in the ring of the input that the kept output belongs to
        self._host_ms: float | None = None
        self._profile: Profile | None = None
        self._note = ""
        self._doubt = ""  # why the learner's times are not credible
        self._shown = -EVERY_SECONDS

    def run(self, inputs: TimedInputs, *, profile: bool) -> Iterator[Timing | str]:
        """Yield interim figures, and progress; the last `Timing` is final. Raises `Failed`, and
        `limits.WorkerStopped` as every worker's call does; after that `timing` holds the last checked
        figures."""
        device = inputs.device
        if device == "cpu" and not shutil.which("g++"):
            return
        self._compiled.pause()
        yield from self._lay_out(inputs, device)
        yield from self._time_without_waiting(device)
        if profile:
            self._profile = self._collect_profile(device)
            self.timing = self._figures()
        if "compiled" not in self._times and not self._note:
            yield from self._time_with_compiled(device)
        self.timing = replace(self._figures(), final=True)
        yield self.timing

    def _lay_out(self, inputs: TimedInputs, device: str) -> Iterator[str]:
        """Make inputs for the worker and for eager, and call each function once."""
        # The same number for the learner's function as for the baselines.
        threads = len(os.sched_getaffinity(0))
        if device == "cpu":  # with a GPU, cases may still be compared in this process
            torch.set_num_threads(threads)
        if self._exercise.kind == "compiled":
            yield "compiling your function"
            self._begin(LOWER_SECONDS)
            self.lowered = self._lower(inputs, threads)
            self.least_bytes = int(self._reference.work(*inputs.args).bytes)
        yield "timing"
        self._begin(SETUP_SECONDS)
        self.resources = self._lay_out_worker(inputs, threads).resources
        self._ring = samples.ring(inputs.args, self._shifts)
        self._roofs = DeviceRoofs(device, self._reference.work(*inputs.args))

    def _time_without_waiting(self, device: str) -> Iterator[Timing]:
        """Time the learner's function with eager, and with torch.compile if that is ready."""
        names = ("learner", "eager", "launch")[: 3 if device == "cuda" else 2]
        key = self._compiled.key(self._exercise.reference, device)
        with _alone(device):
            yield from self._first_figures()
            if self._compiled.is_settled(key) and self._lay_out_compiled(key):
                names = (*names, "compiled")
            yield from self._turns(names)
            if device == "cuda":
                self._look_at_host()
        if "compiled" in names:
            self._compiled.forget()
        self._check(device)

    def _time_with_compiled(self, device: str) -> Iterator[Timing | str]:
        """Time everything again together with torch.compile, so that its figures are of the same
        minute. If it is not awaited or not available, the other figures remain."""
        key = self._compiled.prepare(self._exercise.reference, device)
        yield self._figures()
        yield "compiling eager PyTorch with torch.compile, to compare with"
        if not self._compiled.wait(key, self._caller):
            self._note = "torch.compile was not waited for."
            return
        if self._lay_out_compiled(key):
            with _alone(device):
                yield from self._turns(("compiled",), beside=("learner", "eager"))
            self._compiled.forget()
            self._check(device)

    def _lay_out_compiled(self, key: Key) -> bool:
        """Return True if torch.compile's function, which is settled, can be timed; otherwise add a
        note why not."""
        if not self._compiled.error(key) and self._compiled.lay_out(key, self._seed, self._shifts):
            return True
        self._note = f"No torch.compile to compare with: {self._compiled.error(key)}."
        return False

    # --- turns ------------------------------------------------------------------------------------

    def _first_figures(self) -> Iterator[Timing]:
        """Time one round of the learner's function, whose figure is shown first."""
        self._begin(SETUP_SECONDS)
        self._round("learner")
        yield from self._interim()
        if self._mode == "cuda" and statistics.median(self._times["learner"]) <= _SHORT_MS:
            self._samples = samples.BACKLOG

    def _turns(self, names: tuple[str, ...], beside: tuple[str, ...] = ()) -> Iterator[Timing]:
        """Time rounds in random order until all of `names` have enough samples; yield interim
        figures."""
        self._begin(SETUP_SECONDS)
        if "eager" in names:
            for args in self._ring:
                self._reference.eager(*args)
        while unsure := [name for name in names if not self._has_enough(name)]:
            turn = [*unsure, *beside]
            random.shuffle(turn)
            for name in turn:
                self._round(name)
            yield from self._interim()

    def _round(self, name: str) -> None:
        started = time.perf_counter()
        if name == "learner":
            which = random.randrange(self._samples)
            said = self._time_round(TimeRound(self._samples, keep=which)).ms
            self._kept = which % RING
            self._clocks.append((sum(said), (time.perf_counter() - started) * 1e3))
        elif name == "launch":
            said = self._time_round(TimeRound(self._samples, empty=True)).ms
        elif name == "compiled":
            said = self._compiled.round(self._samples)
        else:
            said = samples.round_of(self._reference.eager, self._ring, self._samples)
        self._times.setdefault(name, []).extend(map(float, said))
        # No answer means that its process is gone: there will be no more samples.
        spent = time.perf_counter() - started if said else math.inf
        self._spent[name] = self._spent.get(name, 0.0) + spent

    def _has_enough(self, name: str) -> bool:
        times, spent = self._times.get(name, []), self._spent.get(name, 0.0)
        if spent >= SECONDS:
            return len(times) >= stats.MIN_SAMPLES or math.isinf(spent)
        if spent < AT_LEAST_SECONDS:
            return False
        # An empty launch counts only as a part of a call, and takes few ticks of the events' clock.
        whole = statistics.median(self._times["learner"]) if name == "launch" else None
        precise = name == "learner" and self._mode == "cuda"
        return stats.is_precise_enough(times, whole, REPEATABLE if precise else stats.GOOD_ENOUGH)

    def _interim(self) -> Iterator[Timing]:
        """Yield figures. On a CPU only once the worker's clock agrees; on a GPU the device's events
        are the clock."""
        now = time.monotonic()
        agrees = self._mode == "cuda" or checks.clock_agrees(self._clocks)
        if now - self._shown >= EVERY_SECONDS and agrees:
            self._shown = now
            yield self._figures()

    def _figures(self) -> Timing:
        """Return all figures known so far."""
        taken = {
            name: stats.summarize_samples(times) for name, times in self._times.items() if times
        }
        learner, launch = taken["learner"], taken.get("launch")
        doubt = self._roofs.doubt(learner) or self._doubt
        return Timing(
            learner=learner,
            eager=taken.get("eager"),
            compiled=taken.get("compiled"),
            roofline=self._roofs.roofline(learner),
            note=f"{doubt} {self._note}".strip(),
            believed=not doubt,
            final=False,
            launch=launch,
            alone_ms=max(0.0, learner.median_ms - launch.median_ms) if launch else None,
            host_ms=self._host_ms,
            launch_bound=_launch_bound(learner, launch, self._host_ms),
            profile=self._profile,
        )

    # --- the worker -------------------------------------------------------------------------------

    def _begin(self, seconds: float) -> None:
        """Start the worker's clock. Timed inputs are larger than those of the cases."""
        memory = 2 * int(self._exercise.memory_gib * 2**30)
        self._worker.begin(WorkerLimits(seconds, memory, self._worker.limits.output_bytes))

    def _time_round(self, question: TimeRound) -> RoundTimes:
        return self._worker.ask(question, (), self._caller)[0]

    def _lower(self, inputs: TimedInputs, threads: int) -> FunctionLowered:
        question = Lower(inputs.described, threads)
        answer, _ = self._worker.ask(question, (inputs.fd,), self._caller)
        if isinstance(answer, Raised):
            raise _make_failure(answer)
        return answer

    def _lay_out_worker(self, inputs: TimedInputs, threads: int) -> LaidOut:
        question = LayOut(inputs.described, threads, self._shifts)
        answer, _ = self._worker.ask(question, (inputs.fd,), self._caller)
        if isinstance(answer, Raised):
            raise _make_failure(answer)
        return answer

    def _look_at_host(self) -> None:
        """Measure the host's cost of a call, and compare the device's activity with the events. A
        busy machine delays some answers and some calls, so a suspicious result is measured again."""
        median = stats.summarize_samples(self._times["learner"]).median_ms
        clocks: list[tuple[float, float]] = []
        host: HostTimes | None = None
        for _ in range(_LOOKS):
            started = time.perf_counter()
            one, _fds = self._worker.ask(TimeHost(), (), self._caller)
            wall = (time.perf_counter() - started) * 1e3
            clocks.append((sum(one.submit_ms) + sum(one.rest_ms) + sum(one.empty_ms), wall))
            host = one if host is None else _join_times(host, one)
            if checks.clock_agrees(clocks) and checks.saw_whole_input(host, median):
                break
        assert host is not None
        checks.check_clock(clocks)
        self._doubt = checks.check_device(host, median)
        self._host_ms = statistics.median(host.submit_ms)

    def _check(self, device: str) -> None:
        """Check the figures. Only checked figures are stored in `timing`."""
        if device == "cpu":
            checks.check_clock(self._clocks)
        kept = self._ring[self._kept]
        checks.check_output(self._worker, self._reference, kept, self._caller)
        self.timing = self._figures()

    def _collect_profile(self, device: str) -> Profile:
        if device != "cuda":
            return Profile(note="Kernel times come from CUPTI, which needs an NVIDIA GPU.")
        self._begin(SETUP_SECONDS)
        answer, _ = self._worker.ask(ProfileCalls(PROFILED_CALLS), (), self._caller)
        if isinstance(answer, Raised):
            return Profile(note=f"{NONE_SEEN} {answer.error.message}".strip())
        kernels = tuple(
            replace(kernel, name=kernel.name[:MAX_NAME]) for kernel in answer.kernels[:MAX_KERNELS]
        )
        return Profile(kernels) if kernels else Profile(note=NONE_SEEN)


def _join_times(earlier: HostTimes, later: HostTimes) -> HostTimes:
    """Add the times of both; keep `persisting` of the later one."""
    return HostTimes(
        earlier.submit_ms + later.submit_ms,
        earlier.rest_ms + later.rest_ms,
        earlier.empty_ms + later.empty_ms,
        later.persisting,
    )


def _make_failure(answer: Raised) -> Failed:
    return Failed(translate(answer.error, "the large input that is timed"))


def _launch_bound(learner: Sample, launch: Sample | None, host_ms: float | None) -> bool:
    """Return True if calls in a row would wait for the host, or mostly have the cost of any launch."""
    slow_host = host_ms is not None and host_ms > _HOST_BOUND * learner.median_ms
    return slow_host or (
        launch is not None and learner.median_ms < _MOSTLY_LAUNCH * launch.median_ms
    )


def _alone(device: str) -> contextlib.AbstractContextManager[None]:
    """Return a context in which no other tutor times on the GPU; on a CPU nobody is waited for."""
    return hold_gpu() if device == "cuda" else contextlib.nullcontext()
