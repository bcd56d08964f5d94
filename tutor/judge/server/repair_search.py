"""Seek the smallest change that makes a refused program right: candidates run through the judge's own
cases in a worker of their own, one after the other."""

import time
from contextlib import suppress
from dataclasses import dataclass, replace

from tutor.course.model import Exercise
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.wrong_answers import read_wrong_answers
from tutor.judge.cases.bench import Bench
from tutor.judge.cases.case_runner import Cases, PreparedCase
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.model.verdict import CaseResult, Diagnosis, Repair
from tutor.judge.processes import process_control
from tutor.judge.processes.limits import WorkerLimits, WorkerStopped
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import ModuleRejected
from tutor.judge.processes.worker_messages.records import read_json_object
from tutor.judge.repair import place, search
from tutor.judge.repair.known_edits import KnownEdit, find_known_edit
from tutor.judge.repair.right_answers import read_answers
from tutor.judge.repair.search import Spent, Trial
from tutor.judge.server import finding_order
from tutor.judge.server.finding_order import JudgedCases

MOST_TRIES = 150
PROCESSOR_SECONDS = 2.0  # of this process and the worker together
_MOST_STOPS = 3  # workers that a candidate may end: by a loop without an end, by a crash
_LEAST_SECONDS, _LONGER = 1.0, 2.0  # of one candidate: at least, and times the program's own

# Causes that no change of a few numbers undoes, or whose every try would take its whole limit.
OUT_OF_REACH = frozenset(
    {
        "cancelled",
        "compile-error",
        "crash",
        "deadlock",
        "did-not-launch",
        "forbidden-collective",
        "import-error",
        "mismatched-collective",
        "no-tensor-cores",
        "not-interpretable",
        "out-of-memory",
        "stale-output",
        "tampering",
        "timeout",
        "too-few-programs",
        "too-many-processes",
        "too-many-syncs",
        "too-much-output",
        "too-much-traffic",
        "too-wide-block",
        "wrong-signature",
    }
)

# Causes that say what happened, not why: they are told of what was seen only.
_SEEN = frozenset({"out-of-bounds-load", "out-of-bounds-store", "race"})


@dataclass(frozen=True)
class Refused:
    """A refused program: its text, the facts of its cases, the codes of what was found, and how long
    all cases took."""

    source: str
    filename: str
    facts: tuple[CaseFacts, ...]
    found: tuple[str, ...]
    seconds: float


def seek_repair(bench: Bench, refused: Refused) -> tuple[Diagnosis, Repair] | None:
    """Return the finding that stands in the verdict, and the repair; None if nothing small was found.

    Raises `WorkerStopped` with the code "cancelled" if the caller cancels, and `Closed` if it has gone.
    """
    exercise, trials = bench.exercise, Trials(bench, refused)
    try:
        answers = read_answers((exercise.solution, *exercise.right))
        accesses = find_wrong_accesses(refused.facts)
        found = search.find_repair(refused.source, answers, trials, accesses)
    except OSError:  # a course without readable answers
        return None
    finally:
        trials.close()
    if found is None or not found.small:
        return None
    return _tell(found, exercise, refused, trials.tries)


def find_wrong_accesses(facts: tuple[CaseFacts, ...]) -> set[int]:
    """Return the lines of loads and stores that left their tensor or met in one place."""
    lines: set[int | None] = set()
    for seen in (case.seen for case in facts):
        lines |= {access.line for access in seen.out_of_bounds}
        lines |= {line for race in seen.races for line in (race.line, race.other_line)}
        lines |= {store.line for store in seen.lanes} | {store.line for store in seen.same_stores}
    return {line for line in lines if line}


def _tell(
    found: search.Repair, exercise: Exercise, refused: Refused, tries: int
) -> tuple[Diagnosis, Repair] | None:
    program, edits = found.program, found.edits
    known: KnownEdit | None = None
    with suppress(CourseFault, OSError):
        solution = exercise.solution.read_text(encoding="utf-8")
        known = find_known_edit(found, solution, read_wrong_answers(exercise.folder))
    lines = place.lines_of(edits)
    if place.lie_apart(program, edits) and not (known or found.effective):
        return None  # they may be one way to write it otherwise, and none of them at fault
    change = place.write_change(program, edits, refused.source)
    repair = Repair(tuple(lines), change=change, tries=tries)
    right = "it" if all(facts.passed for facts in refused.facts) else "all cases"
    tells = not place.is_constant_answer(program, edits)  # more than the line is no answer
    said = place.describe_place(
        program, edits, right, parts=tells, effective=() if known else found.effective
    )
    if tells:
        says = known.says if known else ""
        repair = replace(repair, kind=place.describe_kind(program, edits), says=says)
    code = known.expect if known else _code_of(refused)
    if code in _SEEN and code not in refused.found:
        code = "wrong-values"  # the same slip did something else in the author's program
    line = place.main_line(edits)
    if len(found.effective) == 1:
        (line,) = found.effective
    if reset := place.find_reset_name(program, edits):
        name, line = reset
        said = f"Another `{name}` than that of line {line} makes {right} right."
    return Diagnosis(code, said, line, proof="proven"), repair


def _code_of(refused: Refused) -> str:
    """Return the code of a repair that no wrong answer has: of a pass that of its fault."""
    fault = next((facts.rewrite for facts in refused.facts if facts.rewrite), None)
    return fault.code if fault else "wrong-values"


class Trials:
    """Runs candidates in one worker, which is replaced when a candidate ends it. `tries` counts them."""

    def __init__(self, bench: Bench, refused: Refused) -> None:
        self.tries = 0
        # A candidate is right or wrong; nobody asks how.
        self._reference = replace(bench.reference, explain_wrong=None, near_misses=())
        self._bench = replace(bench, reference=self._reference)
        self._exercise = bench.exercise
        self._filename = refused.filename
        self._seconds = max(_LEAST_SECONDS, _LONGER * refused.seconds)
        self._order = order_cases(refused.facts, len(bench.reference.cases), bench.exercise.kind)
        self._prepared: dict[int, PreparedCase] = {}
        self._worker: WorkerHandle | None = None
        self._stops = 0
        self._began = time.thread_time()
        self._spent = 0.0  # by workers that have ended

    def attempt(self, source: str) -> Trial:
        """Run a candidate on all cases up to the first wrong one. Raises `Spent`, and as
        `seek_repair`."""
        if self.spent >= 1 or self._stops > _MOST_STOPS:
            raise Spent
        self.tries += 1
        worker = self._worker = self._worker or self._bench.take()
        cases = self._bench.open_cases(worker, explains=False)
        limits = cases.limits()
        worker.begin(WorkerLimits(min(self._seconds, limits.seconds), limits.memory_bytes))
        try:
            return self._judge(cases, source)
        except WorkerStopped as stop:
            self._end_worker()
            if stop.code == "cancelled":
                raise
            self._stops += 1
            return Trial(0, False)

    def _judge(self, cases: Cases, source: str) -> Trial:
        loaded = cases.load(source, self._filename)
        if isinstance(loaded, ModuleRejected):
            return Trial(0, False)
        judged: dict[int, tuple[CaseResult, CaseFacts]] = {}
        for index in self._order:
            if index not in self._prepared:
                self._prepared[index] = cases.prepare(index)
            judged[index] = cases.run_prepared(self._prepared[index])
            if not judged[index][0].passed:
                return Trial(len(judged) - 1, False)
        every = JudgedCases(
            self._exercise,
            self._reference,
            source,
            [judged[index][0] for index in sorted(judged)],
            [judged[index][1] for index in sorted(judged)],
            read_json_object(loaded.constants),
        )
        interprets = self._bench.mode == "interpret"
        refused = finding_order.output_remembered(every, cases) if interprets else ()
        refused = refused or finding_order.first_finding(every, cases)
        return Trial(len(judged), not refused)

    @property
    def spent(self) -> float:
        """The share of the budget that is gone."""
        return max(self.tries / MOST_TRIES, self._processor_seconds() / PROCESSOR_SECONDS)

    def _processor_seconds(self) -> float:
        worker = self._worker
        running = process_control.read_processor_seconds([worker.pid] if worker else [])
        return time.thread_time() - self._began + self._spent + running

    def _end_worker(self) -> None:
        if self._worker:
            self._spent += process_control.read_processor_seconds([self._worker.pid])
            self._worker.kill()
        self._worker = None

    def close(self) -> None:
        """End the worker and forget the inputs."""
        self._end_worker()
        for case in self._prepared.values():
            case.given.close()
        self._prepared.clear()


def order_cases(facts: tuple[CaseFacts, ...], count: int, kind: str) -> list[int]:
    """Return the cases in the order in which a candidate runs them: wrong ones that are quick, then
    the others. A compiled function runs them in their own order, as its compilations are counted."""
    if kind == "compiled":
        return list(range(count))

    def cost(index: int) -> tuple[bool, int, int]:
        if index >= len(facts):
            return True, 0, 0
        seen = facts[index]
        return seen.passed, seen.seen.programs, seen.numel

    return sorted(range(count), key=cost)
