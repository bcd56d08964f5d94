"""Search the smallest example on which a refused program is wrong: fewer elements first, then simpler
numbers. Runs in the server; the learner's code runs in a worker.

A smaller example counts if the program is wrong there for the same reason, and if the exercise's
solution is right: then the arguments are such as the task allows. Where the exercise says itself what it
promises of them (`PROMISED`), they keep that too; with smaller blocks a promise of sizes may be broken.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch

from tutor.judge.cases.arguments import copy_argument, parameter_names, tensors_of
from tutor.judge.cases.bench import Bench
from tutor.judge.cases.case_result import JudgedCase
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Args, make_inputs, quote_promise
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.diagnosis.observed_rules import Reason, find_reason
from tutor.judge.model.verdict import CaseResult, WrongExample
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.limits import WorkerLimits, tolerate_stop
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.processes.worker_messages.answers import ModuleRejected
from tutor.judge.shrinking.shown_values import MOST_SHOWN, show_value
from tutor.judge.shrinking.smaller_blocks import shrink_blocks
from tutor.judge.shrinking.smaller_inputs import (
    Factors,
    count_elements,
    count_up,
    find_common_factors,
    make_contiguous,
    shared_sizes,
    shrink_size,
    simplify_tensor,
)

_ENOUGH = 16  # elements of all inputs: small enough without a smaller block
_TRIES = 60  # with the blocks of the program, and as many with smaller ones
_ROUNDS = 2  # over all sizes: one that became smaller lets another one become so
_SECONDS = 1.5  # of each worker, far above what the tries take


@dataclass(frozen=True)
class Program:
    """A text for a worker."""

    source: str
    filename: str


def load_program(
    cases: Cases, worker: WorkerHandle, program: Program, seconds: float
) -> Cases | None:
    """Load a program into the worker of `cases` for tries that take `seconds` at most.

    Returns `cases`, or None where the program is refused.
    """
    worker.begin(WorkerLimits(seconds, cases.limits().memory_bytes))
    loaded = cases.load(program.source, program.filename)
    worker.begin(worker.limits)  # to import takes its own time
    return None if isinstance(loaded, ModuleRejected) else cases


@dataclass(frozen=True)
class _Outcome:
    """A program's output for some arguments, judged."""

    args: Args
    result: CaseResult
    facts: CaseFacts
    got: torch.Tensor | None
    want: torch.Tensor


def find_example(
    bench: Bench, program: Program, judged: Iterable[JudgedCase], line: int | None
) -> WrongExample | None:
    """Return the smallest example found for a program of which some case is wrong.

    `line` is the one that the verdict names: a case that is wrong by this line is preferred; without a
    line one of which more is seen than wrong numbers. None if no
    case is wrong by its output or its accesses, or if its arguments are no tensors and plain values.
    Raises `WorkerStopped` with the code "cancelled" only.
    """
    cases = bench.reference.cases
    inputs = [make_inputs(case, bench.seed + index) for index, case in enumerate(cases)]
    wrong = [
        (index, *case)
        for index, case in enumerate(judged)
        if find_reason(case[1])[0] and all(map(_is_simple, inputs[index]))
    ]
    if not wrong:
        return None

    def is_another(facts: CaseFacts) -> bool:
        reason = find_reason(facts)[0]
        return line not in reason if line else reason == ("values",)

    index, result, facts = min(
        wrong, key=lambda case: (is_another(case[2]), count_elements(inputs[case[0]]))
    )
    search = _Search(bench, index, find_reason(facts)[0], find_common_factors(inputs))
    example = None
    with tolerate_stop():
        try:
            example = search.shrink(program, inputs[index])
            blocks = bench.exercise.kind == "kernel"
            if blocks and example and count_elements(example.args) > _ENOUGH:
                example = search.shrink_with_blocks(program, example)
        finally:
            search.close()
    example = example or search.last
    return search.describe(example, result.name) if example else None


def _is_simple(argument: Any) -> bool:
    return argument is None or isinstance(argument, torch.Tensor | int | float | bool)


@dataclass
class _Search:
    """Tries of one program. `last` is the smallest example so far."""

    bench: Bench
    index: int
    reason: Reason
    factors: Factors
    last: _Outcome | None = None
    _block: str = ""  # of `last`: the change of its blocks, in words
    _tries: int = 0
    _small: bool = False  # the solution has smaller blocks, as the program has
    _workers: list[WorkerHandle] = field(default_factory=list)
    _solution: Cases | None = None

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()

    def shrink(self, program: Program, args: Args) -> _Outcome | None:
        """Return the smallest example found, None if the program is not wrong on `args` itself."""
        cases = self._load(program)
        best = self._try(cases, args) if cases else None
        if cases is None or best is None:
            return None
        self.last = best
        self._shrink_from(cases)
        return self.last

    def shrink_with_blocks(self, program: Program, found: _Outcome) -> _Outcome:
        """Return an example that is smaller than `found` thanks to smaller blocks, or `found`."""
        source, change = shrink_blocks(program.source)
        self._tries, self._small, self._solution, self.factors = 0, True, None, {}
        cases = self._load(Program(source, program.filename)) if source else None
        if cases is None:
            return found
        self._shrink_from(cases)
        if count_elements(self._best.args) < count_elements(found.args):
            self._block = change
            return self._best
        self.last = found
        return found

    def _shrink_from(self, cases: Cases) -> None:
        """Make `last` smaller, then simpler."""
        self._shrink_sizes(cases)
        if not all(tensor.is_contiguous() for tensor in tensors_of(self._best.args)):
            self._take_first(cases, [make_contiguous(self._best.args)])
            self._shrink_sizes(cases)
        if count_elements(self._best.args) > _ENOUGH:  # with larger numbers fewer may do
            self._take_first(cases, [count_up(self._best.args)])
            self._shrink_sizes(cases)
        if all(tensor.numel() <= MOST_SHOWN for tensor in tensors_of(self._best.args)):
            for place in range(len(self._best.args)):
                self._take_first(cases, simplify_tensor(self._best.args, place))

    def _shrink_sizes(self, cases: Cases) -> None:
        for _ in range(_ROUNDS):
            before = count_elements(self._best.args)
            for size in shared_sizes(self._best.args):
                self._take_first(cases, shrink_size(self._best.args, size, self.factors))
            if count_elements(self._best.args) == before:
                return

    @property
    def _best(self) -> _Outcome:
        assert self.last is not None
        return self.last

    def _take_first(self, cases: Cases, candidates: Iterable[Args]) -> None:
        """Let the first candidate on which the program is still wrong be `last`."""
        for args in candidates:
            if self._tries >= _TRIES:
                return
            if outcome := self._try(cases, args):
                self.last = outcome
                return

    def _try(self, cases: Cases, args: Args) -> _Outcome | None:
        """Return what the program does on `args` if it is wrong for the same reason, and the solution
        right."""
        self._tries += 1
        if not self._small and quote_promise(cases.reference.promised, args):
            return None
        outcome = _run(cases, self.index, args)
        if outcome is None or find_reason(outcome.facts)[0] != self.reason:
            return None
        if self.last and _is_finite(self.last.want) and not _is_finite(outcome.want):
            return None  # the task has no number for it
        if self._solution is None:
            self._solution = self._load(self._read_solution())
        right = self._solution and _run(self._solution, self.index, args)
        return outcome if right and right.facts.passed else None

    def _read_solution(self) -> Program:
        """Return the solution; for a program with smaller blocks the one with smaller blocks, because
        a task may ask for sizes that are multiples of the block."""
        path = self.bench.exercise.solution
        source = path.read_text("utf-8")
        return Program((self._small and shrink_blocks(source)[0]) or source, str(path))

    def _load(self, program: Program) -> Cases | None:
        worker = self.bench.take()
        self._workers.append(worker)
        return load_program(self.bench.open_cases(worker), worker, program, _SECONDS)

    def describe(self, found: _Outcome, case: str) -> WrongExample:
        """Return the record of an example for the verdict."""
        names = parameter_names(self.bench.exercise.entry)
        inputs = tuple(
            show_value(name, value) for name, value in zip(names, found.args, strict=False)
        )
        got = show_value("", found.got) if found.got is not None else None
        return WrongExample(
            case,
            inputs,
            got if found.result.mismatch else None,
            show_value("", found.want),
            found.result.mismatch,
            find_reason(found.facts)[1],
            self._block,
        )


def _run(cases: Cases, index: int, args: Args) -> _Outcome | None:
    """Run and judge one call; None if the reference has no answer for such arguments."""
    reference = cases.reference
    try:
        want, eager = reference.want(args), reference.eager(*map(copy_argument, args))
        reference.work(*args)
    except Exception:  # whatever a reference raises, the task does not allow these arguments
        return None
    buffer, _ = shared_tensors.fill_buffer(tensors_of(args))
    fd = shared_tensors.memory_file("inputs", buffer)
    fds: list[int] = []
    try:
        reply, fds = cases.ask(index, args, fd)
        got = None
        if reply.output and fds and reply.output.shape == tuple(want.shape):
            data = shared_tensors.read_file(fds[0], want.numel() * eager.element_size())
            got = None if data is None else data.view(eager.dtype).reshape(want.shape)
        try:
            result, facts = cases.compare(index, args, reply, fds, fd)
        except ArithmeticError:  # of `explain_wrong`, which is asked of arguments that no case has
            return None
        return _Outcome(args, result, facts, got, want)
    finally:
        for descriptor in (fd, *fds):
            os.close(descriptor)


def _is_finite(tensor: torch.Tensor) -> bool:
    return bool(torch.isfinite(tensor).all()) if tensor.is_floating_point() else True
