"""A bench on which a search tries programs: the exercise's cases, in workers of its own."""

from collections.abc import Callable
from dataclasses import dataclass

from tutor.course.model import Exercise
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Reference
from tutor.judge.processes.wire import Channel
from tutor.judge.processes.worker_handle import WorkerHandle


@dataclass(frozen=True)
class Bench:
    """`take` returns a new worker of the mode; `target` as for `Cases`."""

    exercise: Exercise
    reference: Reference
    take: Callable[[], WorkerHandle]
    mode: str
    seed: int
    caller: Channel
    target: str

    def open_cases(self, worker: WorkerHandle, *, explains: bool = True) -> Cases:
        """Return the cases in a worker; `explains` as for `Cases`."""
        return Cases(
            self.exercise,
            self.reference,
            worker,
            mode=self.mode,
            seed=self.seed,
            caller=self.caller,
            target=self.target,
            explains=explains,
        )
