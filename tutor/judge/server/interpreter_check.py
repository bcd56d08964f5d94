"""The cases that a GPU judges, run in the interpreter as well, which sees what a GPU does not
report.

A GPU run proves the numbers, not the accesses: a load past the end usually reads mapped memory, and
a race usually ends well. If the interpreter proves an error, the submission is wrong. If it merely
computes something else, or cannot run the kernel, the GPU's result counts.
"""

import threading
from collections.abc import Callable
from dataclasses import replace

from tutor.judge.cases.case_runner import Cases
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.model.verdict import Diagnosis
from tutor.judge.probes import cheat_detection, interpreter_reruns
from tutor.judge.processes.background import BackgroundTask
from tutor.judge.processes.limits import tolerate_stop
from tutor.judge.processes.wire import Channel
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import ModuleRejected

_HELD_SECONDS = 0.25  # at most, for each case: a GPU's case may take long


def join_results(gpu: CaseFacts, interpreted: CaseFacts) -> CaseFacts:
    """Return the result of one case that a GPU judged and the interpreter watched.

    A proven error counts although the case came out right on the GPU. If the case is right, the
    numbers are the GPU's and the accesses the interpreter's, because causes compare wrong cases with
    right ones.
    """
    if interpreted.passed:
        both = replace(
            gpu,
            seen=interpreted.seen,
            traffic=interpreted.traffic,
            launched=interpreted.launched,
            host_operations=interpreted.host_operations,
            host_copies=interpreted.host_copies,
        )
        return both if gpu.passed else gpu
    if _choose_proven(interpreted) or not (gpu.passed or gpu.raised or not interpreted.pattern):
        return interpreted
    return gpu  # an error on the GPU is more specific than numbers that differ in the interpreter


def _choose_proven(case: CaseFacts) -> bool:
    hazard = case.seen.out_of_bounds or case.seen.races or case.seen.lanes
    return bool(hazard) or case.neutral is not None or case.order_counts


class Watch:
    """Starts at once, in a thread; `close` ends it. `worker` is one of mode "interpret". `cases_of`
    returns the cases for it with that caller."""

    def __init__(
        self,
        worker: WorkerHandle,
        cases_of: Callable[[Channel], Cases],
        source: str,
        filename: str,
    ) -> None:
        self._worker = worker
        self.seen: list[CaseFacts] = []
        self._said: Diagnosis | None = None
        self._may = threading.Event()
        self._may.set()

        def work(caller: Channel) -> None:
            cases = cases_of(caller)
            with tolerate_stop():  # the findings until the stop remain valid
                if isinstance(cases.load(source, filename), ModuleRejected):
                    return
                for _, facts in cases.run():
                    self.seen.append(facts)
                    self._may.wait(_HELD_SECONDS)
                interpreter_reruns.probe_masked_lanes(cases, self.seen)
                interpreter_reruns.probe_program_order(cases, self.seen)
                self._said = cheat_detection.check_kernel(cases, self.seen)

        self._work = BackgroundTask(work)

    def hold(self) -> None:
        """Go slowly: the comparison holds Python's lock, which delays the thread that somebody waits
        for."""
        self._may.clear()

    def go_on(self) -> None:
        self._may.set()

    def result(self, caller: Channel) -> tuple[list[CaseFacts], Diagnosis | None]:
        """Return the findings of each case, and the finding that the output is not the kernel's.
        Waits; raises as `BackgroundTask.wait` does."""
        self._work.wait(caller)
        return self.seen, self._said

    def close(self) -> None:
        self.go_on()
        self._work.close()
        self._worker.kill()
