"""Search the smallest program on which a refused pass is wrong: fewer operations first, then fewer and
simpler numbers. Runs in the server; the pass runs in a worker.

A smaller program counts if the pass is wrong there for the same reason, and if the exercise's solution
is right: then the program is such as the task allows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import torch

from tutor.judge.cases.arguments import tensors_of
from tutor.judge.cases.bench import Bench
from tutor.judge.cases.case_result import JudgedCase
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.passes import RETURNED, UNREADABLE, name_inputs, show_program
from tutor.judge.cases.reference import Args, make_inputs
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.diagnosis.observed_rules import find_reason
from tutor.judge.model.verdict import CaseResult, WrongExample
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.limits import tolerate_stop
from tutor.judge.processes.worker_handle import WorkerHandle
from tutor.judge.shrinking.search import Program, load_program
from tutor.judge.shrinking.shown_values import show_value
from tutor.judge.shrinking.smaller_inputs import shared_sizes, shrink_size, simplify_tensor
from tutor.judge.shrinking.smaller_programs import shrink_program, size_of

_TRIES = 160  # of smaller programs
_TRIES_OF_VALUES = 40
_SECONDS = 4.0  # of each worker


def find_program_example(
    bench: Bench, program: Program, judged: Iterable[JudgedCase]
) -> WrongExample | None:
    """Return the smallest program found on which a pass is wrong, made from the first such case.

    None if no case is wrong by what the pass makes. Raises `WorkerStopped` with the code "cancelled"
    only.
    """
    wrong = [
        (index, *case) for index, case in enumerate(judged) if case[1].rewrite or case[1].raised
    ]
    if not wrong or not find_reason(wrong[0][2])[0]:
        return None
    index, result, facts = wrong[0]
    if facts.rewrite and facts.rewrite.reason in (RETURNED, UNREADABLE):  # whatever the program
        return None
    args = make_inputs(bench.reference.cases[index], bench.seed + index)
    search = _Search(bench, index, facts)
    with tolerate_stop():
        try:
            search.shrink(program, args)
        finally:
            search.close()
    return search.describe(result.name) if search.last else None


@dataclass(frozen=True)
class _Outcome:
    """What a pass does with a program, judged; `results`: one that differs, after and before."""

    args: Args
    result: CaseResult
    facts: CaseFacts
    results: tuple[torch.Tensor, torch.Tensor] | None


@dataclass
class _Search:
    """Tries of one pass on smaller programs. `last` is the smallest so far on which it is wrong."""

    bench: Bench
    index: int
    facts: CaseFacts
    last: _Outcome | None = None
    _left: int = 0
    _tried: set[str] = field(default_factory=set)
    _workers: list[WorkerHandle] = field(default_factory=list)
    _solution: Cases | None = None

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()

    def shrink(self, program: Program, args: Args) -> None:
        """Let `last` be the smallest example found."""
        cases, solution = self._load(program), self._load(self._read_solution())
        if cases is None or solution is None:
            return
        self._solution = solution
        self._left = 1
        self._try(cases, args)
        self._left = _TRIES
        while self.last and self._take_first(cases, self._smaller_programs()):
            pass
        self._left = _TRIES_OF_VALUES
        if self.last:
            self._take_first(cases, self._single_calls())
            for size in shared_sizes(self.last.args):
                self._take_first(cases, shrink_size(self.last.args, size, {}))
            for place in range(1, len(self.last.args)):
                self._take_first(cases, simplify_tensor(self.last.args, place))

    def _smaller_programs(self) -> Iterator[Args]:
        assert self.last is not None
        text, *inputs = self.last.args
        for smaller in shrink_program(text):
            if smaller not in self._tried and size_of(smaller) < size_of(text):
                self._tried.add(smaller)
                yield (smaller, *inputs)

    def _single_calls(self) -> Iterator[Args]:
        """Yield the arguments of the call whose result is wrong alone, where each element of a vector is
        one of a call."""
        assert self.last is not None
        mismatch, (text, *inputs) = self.last.result.mismatch, self.last.args
        if mismatch and len(mismatch.index) == 1 and all(x.dim() == 1 for x in inputs):
            at = mismatch.index[0]
            yield (text, *(x[at : at + 1].clone() for x in inputs))

    def _take_first(self, cases: Cases, candidates: Iterable[Args]) -> bool:
        """Let the first candidate on which the pass is still wrong be `last`; say whether one is."""
        for args in candidates:
            if self._left <= 0:
                return False
            if self._try(cases, args):
                return True
        return False

    def _try(self, cases: Cases, args: Args) -> bool:
        self._left -= 1
        assert self._solution is not None
        outcome = _run(cases, self.index, args)
        if find_reason(outcome.facts)[0] != find_reason(self.facts)[0]:
            return False
        if self.last and not _run(self._solution, self.index, args).facts.passed:
            return False
        self.last = outcome
        return True

    def _read_solution(self) -> Program:
        path = self.bench.exercise.solution
        return Program(path.read_text("utf-8"), str(path))

    def _load(self, program: Program) -> Cases | None:
        worker = self.bench.take()
        self._workers.append(worker)
        return load_program(self.bench.open_cases(worker), worker, program, _SECONDS)

    def describe(self, case: str) -> WrongExample:
        """Return the record of the smallest example for the verdict."""
        found = self.last
        assert found is not None
        text, *inputs = found.args
        names = name_inputs(text, len(inputs))
        shown = tuple(show_value(name, value) for name, value in zip(names, inputs, strict=True))
        got, want = (
            (show_value("", each) for each in found.results) if found.results else (None, None)
        )
        return WrongExample(
            case,
            shown,
            got,
            want,
            found.result.mismatch,
            "" if found.result.mismatch else find_reason(found.facts)[1],
            program=show_program(text),
        )


def _run(cases: Cases, index: int, args: Args) -> _Outcome:
    """Rewrite and run one program, and judge it."""
    buffer, _ = shared_tensors.fill_buffer(tensors_of(args))
    fd = shared_tensors.memory_file("inputs", buffer)
    fds: list[int] = []
    try:
        reply, fds = cases.ask(index, args, fd)
        results = cases.read_rewritten(reply, fds)
        return _Outcome(args, *cases.compare(index, args, reply, fds, fd), results)
    finally:
        for descriptor in (fd, *fds):
            os.close(descriptor)
