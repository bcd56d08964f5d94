"""A learner's pass in its worker: run on a program, and the program before compared with the one after.

The results from before are those of a program of its own, which the learner's function never gets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tutor.judge.cases.passes import RETURNED, UNREADABLE
from tutor.judge.cases.result_difference import find_difference
from tutor.judge.processes.worker_messages.questions import PassRules
from tutor.judge.processes.worker_messages.records import OutputTensor
from tutor.judge.processes.worker_messages.rewrite_report import (
    MOST_ELEMENTS,
    MOST_OPERATIONS,
    Operation,
    RewriteFault,
    RewriteReport,
)
from tutor.judge.worker.subjects.opening import open_subject
from tutor.judge.worker.subjects.subject import Inputs, Run, Stopped

_MOST_KEPT = 400  # runs of programs from before, for the next text that this worker is given
_MOST_OF_ERROR = 200

_before: dict[tuple[Any, ...], Run] = {}

Tensors = tuple[torch.Tensor, ...]


class Passes:
    """The pass of a learner's module, run on one program after the other."""

    def __init__(self, rules: PassRules, entry: Callable[..., Any] | None) -> None:
        assert entry is not None
        self._rules, self._entry = rules, entry
        self._subject = open_subject(rules.subject, only_read=rules.only_read, shapes=rules.shapes)

    def run(self, args: tuple[Any, ...]) -> tuple[RewriteReport, Tensors]:
        """Rewrite the program of a text, run both, and return what is found; where a result differs,
        both forms of it too.

        Raises what the learner's function raises.
        """
        text, inputs = args[0], args[1:]
        try:
            before = self._run_before(text, inputs)
            given = self._subject.parse(text, inputs)
        except Exception as error:
            said = f"the program of this case cannot be run. {_first_line(error)}."
            return RewriteReport(fault=RewriteFault(UNREADABLE, "crash", said)), ()
        out = self._entry(given)
        if fault := self._refuse_returned(out, given):
            return RewriteReport(_bound(before), fault=fault), ()
        program = given if out is None else out
        try:
            fault = self._subject.check(program, text)
            after = None if fault else self._subject.run(program, inputs)
        except Stopped as stop:
            fault, after = _stops(stop), None
        except Exception as error:
            fault, after = _out_of_order(error), None
        if after is None:
            return RewriteReport(_bound(before), fault=fault), ()
        report = RewriteReport(_bound(before), _bound(after))
        difference = find_difference(before.seen, after.seen, self._rules.rtol)
        if difference is None:
            fault = self._subject.inspect(program, text)
            again = "" if fault or not self._rules.idempotent else self._try_again(program)
            return RewriteReport(report.before, report.after, fault, again=again), ()
        fault = RewriteFault("differs", "wrong-values", f"{difference.said}.")
        got, want = difference.got, difference.want
        if got is None or want is None or not _can_be_sent(got, want):
            return RewriteReport(report.before, report.after, fault), ()
        got, want = got.contiguous(), want.contiguous()
        told = RewriteReport(report.before, report.after, fault, _describe(got), _describe(want))
        return told, (got, want)

    def _run_before(self, text: str, inputs: Inputs) -> Run:
        rules = self._rules
        key = (rules.subject, rules.only_read, text, *(tuple(x.flatten().tolist()) for x in inputs))
        key += tuple((x.dtype, x.shape, x.stride()) for x in inputs)
        if key not in _before:
            if len(_before) >= _MOST_KEPT:
                _before.clear()
            _before[key] = self._subject.run(self._subject.parse(text, inputs), inputs)
        return _before[key]

    def _refuse_returned(self, out: Any, given: Any) -> RewriteFault | None:
        returns, called = self._rules.returns, self._subject.called
        if returns == "nothing":
            if out is None or out is given:
                return None
            asked = f"it must change the {called} that it was given, and return nothing"
        else:
            if self._subject.owns(out) and (returns == "new" or out is given):
                return None
            kept = "the" if returns == "given" else "an" if called[0] in "AEIO" else "a"
            asked = f"it must be {kept} {called}" + " that it was given" * (returns == "given")
        other = f"another {called}" if self._subject.owns(out) else type(out).__name__[:80]
        name = getattr(self._entry, "__name__", "the pass")
        return RewriteFault(RETURNED, "wrong-graph", f"`{name}` returned {other}; {asked}.")

    def _try_again(self, program: Any) -> str:
        """Run the pass on its own result; return the first line of its text that changes."""
        once = self._subject.write(program)
        out = self._entry(program)
        rewritten = self._subject.write(program if out is None else out)
        if rewritten == once:
            return ""
        lines = zip(once.splitlines(), rewritten.splitlines(), strict=False)
        first = next((a for a, b in lines if a != b), "the end")
        return first.strip()[:_MOST_OF_ERROR]


def _out_of_order(error: Exception) -> RewriteFault:
    sentence = f"the rewritten program is not in order. {_first_line(error)}."
    return RewriteFault("broken", "wrong-graph", sentence)


def _stops(stop: Stopped) -> RewriteFault:
    given = ", ".join(f"{value:g}" for value in stop.inputs)
    sentence = (
        f"the rewritten program stops at `{stop.operation}` for the arguments {given}. "
        "The given program does not stop."
    )
    return RewriteFault("stops", "wrong-graph", sentence)


def _first_line(error: Exception) -> str:
    said = f"{type(error).__name__}: {error}".strip().splitlines()[0]
    return said[:_MOST_OF_ERROR].rstrip(".")


def _bound(run: Run) -> tuple[Operation, ...]:
    return tuple(run.operations[:MOST_OPERATIONS])


def _can_be_sent(got: torch.Tensor, want: torch.Tensor) -> bool:
    same = (got.dtype, got.shape) == (want.dtype, want.shape)
    return same and 0 < got.numel() <= MOST_ELEMENTS


def _describe(tensor: torch.Tensor) -> OutputTensor:
    dtype = str(tensor.dtype).removeprefix("torch.")
    return OutputTensor(tuple(tensor.shape), dtype, str(tensor.device))
