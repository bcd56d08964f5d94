"""The learner's function timed in its worker: lowered, called in rounds, profiled."""

import itertools
import os
from collections.abc import Callable
from typing import Any

import torch

from tutor.judge.processes import learner_module
from tutor.judge.processes.worker_messages.answers import (
    FetchedOutput,
    FunctionLowered,
    HostTimes,
    LaidOut,
    ProfiledKernels,
    Raised,
    RoundTimes,
)
from tutor.judge.processes.worker_messages.questions import (
    FetchOutput,
    LayOut,
    Lower,
    ProfileCalls,
    TimeRound,
)
from tutor.judge.processes.worker_messages.records import KernelResources, LearnerError
from tutor.judge.sampling import l2_cache, samples
from tutor.judge.worker.learner_function import (
    Fds,
    LearnerFunction,
    clones,
    describe_output,
    poison_memory,
)


class TimedFunction:
    """The timed function, and the ring of inputs that its calls cycle through."""

    def __init__(self, learner: LearnerFunction) -> None:
        self._learner = learner
        self._ring: list[tuple[Any, ...]] = []
        self._function: Callable[..., Any] | None = None

    def lower(self, question: Lower, fds: list[int]) -> FunctionLowered | Raised:
        """Compile the function with Inductor."""
        from tutor.judge.worker import graph_capture

        learner = self._learner
        args, _, _ = learner.arguments(question.args, fds[0])
        os.close(fds[0])
        poison_memory(False)
        torch.set_num_threads(question.threads)
        assert learner.entry is not None
        try:
            lowered = graph_capture.lower_function(graph_capture.inner(learner.entry), clones(args))
        except BaseException as error:
            return Raised(learner_module.describe_error(error, learner.filename))
        self._function = lowered.function
        moved = lowered.traffic
        if moved is None:
            return FunctionLowered(lowered.kernels)
        return FunctionLowered(lowered.kernels, moved.read, moved.written)

    def lay_out(self, question: LayOut, fds: list[int]) -> LaidOut | Raised:
        """Make a ring of inputs of different content, and call the function once on each."""
        args, _, _ = self._learner.arguments(question.args, fds[0])
        os.close(fds[0])
        poison_memory(False)
        torch.set_num_threads(question.threads)
        self._ring = samples.ring(args, question.shifts)
        if self._function is None:
            self._function = self._learner.entry
        try:
            for arguments in self._ring:
                self._function(*arguments)  # type: ignore[misc]
            if self._learner.device.type == "cuda":
                torch.cuda.synchronize()
        except BaseException as error:
            return Raised(learner_module.describe_error(error, self._learner.filename))
        return LaidOut(self._resources())

    def round(self, question: TimeRound) -> RoundTimes:
        """Return the milliseconds of `calls` calls or empty launches."""
        poison_memory(False)  # a case may have run in between
        function = samples.empty_launch() if question.empty else self._keeping(question.keep)
        return RoundTimes(samples.round_of(function, self._ring, question.samples))

    def _keeping(self, which: int) -> Callable[..., Any]:
        """Return the timed function, which keeps the output of its call number `which` for `output`."""
        timed, calls = self._function, itertools.count()
        assert timed is not None

        def call(*args: Any) -> None:
            out = timed(*args)
            if next(calls) == which:
                self._learner.last = out

        return call

    def host(self) -> HostTimes:
        """Measure the host's time for a call, and how long the device is busy after it (CUDA)."""
        assert self._function is not None
        submit, rest, empty = samples.host_and_rest(self._function, self._ring)
        return HostTimes(submit, rest, empty, l2_cache.persisting_bytes())

    def profile(self, question: ProfileCalls) -> ProfiledKernels | Raised:
        """Return the kernels of these calls and their times, by CUPTI."""
        from tutor.judge.sampling import kernel_profile

        assert self._function is not None
        try:
            kernels = kernel_profile.kernels(self._function, self._ring, question.calls)
            return ProfiledKernels(tuple(kernels))
        except Exception as error:  # kineto's own error if there is no CUPTI
            return Raised(learner_module.describe_error(error, self._learner.filename))

    def output(self, question: FetchOutput) -> tuple[FetchedOutput, Fds]:
        """Return pieces of the output that `round` kept."""
        out = self._learner.last
        described = describe_output(out, ())
        if out is None or isinstance(described, str):
            return FetchedOutput(), ()
        files = self._learner.elements(out, question.pieces)
        if isinstance(files, LearnerError):
            return FetchedOutput(), ()
        return FetchedOutput(described.shape), files

    def _resources(self) -> KernelResources | None:
        """Return registers, spills and shared memory of the last kernel compiled for this device."""
        if self._learner.mode != "cuda":
            return None
        from tutor.judge.processes import kernel_resources

        return kernel_resources.find_largest(self._learner.filename)
