"""Compiling a kernel's specializations while its first case runs: the server's side.

Triton compiles a kernel when a launch first needs it: once for each combination of constexprs,
dtypes and arguments that are 1, divisible by 16 or neither (`triton.runtime.jit`, 3.6 and 3.7), so
the cases wait for one compilation after the other. Workers of mode "offline"
(`worker.precompile_worker`), which run already, each find the specializations, and together compile
all of them in parallel into Triton's cache. Their errors cost only time: a worker that
does not find a kernel in the cache compiles it.

On an H200, `row_softmax` with its eleven specializations is right after 264 to 282 ms. It took 800 ms
before this and before the interpreter's check ran in parallel.
"""

import os
from collections.abc import Sequence
from contextlib import suppress

from tutor.course.model import Exercise
from tutor.judge.cases.arguments import encode_arguments, tensors_of
from tutor.judge.cases.reference import Reference, make_inputs
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.background import BackgroundTask
from tutor.judge.processes.limits import WorkerLimits, WorkerStopped, log_errors
from tutor.judge.processes.wire import Channel, Closed
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import ModuleRejected
from tutor.judge.processes.worker_messages.questions import FinishCompiling, Load, NoteLaunches

_WORKERS = 3  # most kernels have no more specializations after the first
_FORKS = 12  # in parallel, of all workers: for kernels with many specializations, as autotuned ones
SECONDS = 20.0
MEMORY_BYTES = 6 << 30


def count_workers() -> int:
    """Return the number of workers of mode "offline" that share the work."""
    return max(1, min(_WORKERS, _spare_cores()))


def _spare_cores() -> int:
    """Return the number of cores without the two that judge."""
    return len(os.sched_getaffinity(0)) - 2


class Precompilation:
    """Starts at once; `close` ends it. `capability` is that of the judging GPU: 90 for sm_90."""

    def __init__(
        self,
        exercise: Exercise,
        reference: Reference,
        workers: Sequence[WorkerHandle],
        source: str,
        filename: str,
        *,
        capability: int,
        seed: int,
    ) -> None:
        def work(caller: Channel) -> None:
            for worker in workers:
                worker.begin(WorkerLimits(SECONDS, MEMORY_BYTES))
            load, finish = Load(source, filename, MEMORY_BYTES), FinishCompiling()
            for worker in workers:
                worker.post(load)
            loaded = [worker.answer(load, caller)[0] for worker in workers]
            if any(isinstance(answer, ModuleRejected) for answer in loaded):
                return
            forks = max(1, min(_FORKS, _spare_cores()) // len(workers))
            for index, case in enumerate(reference.cases):
                args = make_inputs(case, seed + index)
                layouts, size = shared_tensors.make_layouts(tensors_of(args))
                for part, worker in enumerate(workers):
                    worker.post(
                        NoteLaunches(
                            exercise.entry,
                            capability,
                            encode_arguments(args, layouts),
                            bytes=size,
                            part=part,
                            of=len(workers),
                            forks=forks,
                        )
                    )
            for worker in workers:
                worker.post(finish)
            for worker in workers:
                worker.answer(finish, caller)

        def quietly(caller: Channel) -> None:
            # Errors of the file and of a case are found where they are judged.
            with suppress(WorkerStopped, Closed), log_errors("compiling ahead"):
                work(caller)

        self._workers, self._work = workers, BackgroundTask(quietly)

    def wait(self, seconds: float, caller: Channel) -> None:
        """Wait until everything is compiled, or for that time. Raises as `BackgroundTask.wait` does."""
        self._work.wait(caller, seconds)

    def close(self) -> None:
        self._work.close()
        for worker in self._workers:
            worker.kill()
