"""The learner's function timed in its worker: lowered, called in rounds, profiled."""

import itertools
import os
from collections.abc import Callable
from typing import Any

import torch

from tutor.judge.processes import learner_module
from tutor.judge.processes.wire import Message
from tutor.judge.sampling import l2_cache, samples
from tutor.judge.worker.case import LearnerFunction, Reply, clones, poison_memory


class TimedFunction:
    """The function that is timed, and the ring of inputs that its calls go through."""

    def __init__(self, learner: LearnerFunction) -> None:
        self._learner = learner
        self._ring: list[tuple[Any, ...]] = []
        self._function: Callable[..., Any] | None = None

    def lower(self, message: Message, fds: list[int]) -> Message:
        """Compile the function with Inductor."""
        from tutor.judge.worker import graph_capture

        learner = self._learner
        args, _, _ = learner.arguments(message["args"], fds[0])
        os.close(fds[0])
        poison_memory(False)
        torch.set_num_threads(int(message["threads"]))
        assert learner.entry is not None
        try:
            found = graph_capture.lowered(graph_capture.inner(learner.entry), clones(args))
        except BaseException as error:
            return {"raised": learner_module.describe(error, learner.filename)}
        self._function = found.function
        moved = found.traffic
        traffic = {"bytes_read": moved.read, "bytes_written": moved.written} if moved else {}
        return {"kernels": found.kernels, **traffic}

    def lay_out(self, message: Message, fds: list[int]) -> Message:
        """Make a ring of inputs of different content, and call the function once on each."""
        args, _, _ = self._learner.arguments(message["args"], fds[0])
        os.close(fds[0])
        poison_memory(False)
        torch.set_num_threads(int(message["threads"]))
        self._ring = samples.ring(args, message["shifts"])
        if self._function is None:
            self._function = self._learner.entry
        try:
            for each in self._ring:
                self._function(*each)  # type: ignore[misc]
            if self._learner.device.type == "cuda":
                torch.cuda.synchronize()
        except BaseException as error:
            return {"raised": learner_module.describe(error, self._learner.filename)}
        return {"ready": True, "resources": self._resources()}

    def round(self, message: Message) -> Message:
        """Milliseconds of so many calls, or of so many empty launches."""
        poison_memory(False)  # a case may have come between
        if message.get("of") == "launch":
            function = samples.empty_launch()
        else:
            function = self._keeping(int(message["keep"]))
        return {"ms": samples.round_of(function, self._ring, int(message["samples"]))}

    def _keeping(self, which: int) -> Callable[..., Any]:
        """The timed function, the output of its call number `which` kept for `output`."""
        timed, calls = self._function, itertools.count()
        assert timed is not None

        def call(*args: Any) -> None:
            out = timed(*args)
            if next(calls) == which:
                self._learner.last = out

        return call

    def host(self) -> Message:
        """What the host needs for a call, and how long the device is busy after it (CUDA)."""
        assert self._function is not None
        submit, rest, empty = samples.host_and_rest(self._function, self._ring)
        return {"submit_ms": submit, "rest_ms": rest, "empty_ms": empty,
                "persisting": l2_cache.persisting_bytes()}  # fmt: skip

    def profile(self, message: Message) -> Message:
        """The kernels of so many calls and their times, by CUPTI."""
        from tutor.judge.sampling import kernel_profile

        assert self._function is not None
        calls = int(message["calls"])
        try:
            return {"kernels": kernel_profile.kernels(self._function, self._ring, calls)}
        except Exception as error:  # kineto's own, where there is no CUPTI
            return {"raised": learner_module.describe(error, self._learner.filename)}

    def output(self, message: Message) -> Reply:
        """Pieces of the output that `round` kept."""
        learner = self._learner
        report = learner.describe_output(learner.last, ())
        if "wrong_type" in report:
            return report, ()
        assert learner.last is not None
        return learner.with_tensor(report, learner.last, message["pieces"])

    def _resources(self) -> Message | None:
        """Registers, spills and shared memory of the last kernel compiled for this device."""
        if self._learner.mode != "cuda":
            return None
        from tutor.judge.processes import kernel_resources

        return kernel_resources.of_compiled(self._learner.filename)
