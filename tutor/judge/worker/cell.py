"""A lesson's live cells in their worker: they share one namespace, which is kept between cells."""

import contextlib
import ctypes
import sys
import time
import types
from typing import Any

import torch

from tutor.judge.diagnosis import error_messages
from tutor.judge.processes import learner_module
from tutor.judge.processes.wire import escape_surrogates
from tutor.judge.processes.worker_messages.answers import CellAnswer
from tutor.judge.processes.worker_messages.questions import RunCell
from tutor.judge.processes.worker_messages.records import LearnerError, write_json_object

# Limits on a value that a prediction requests.
MAX_BITS = 1024
MAX_ITEMS = 1000
MAX_TEXT = 10_000  # characters


class CellSession:
    """The names that the cells have defined so far."""

    def __init__(self) -> None:
        self._module = types.ModuleType("lesson")
        self.begun = False
        self._watch: Any = None  # the interpreter's hooks, once a cell has asked for its accesses

    def run(self, question: RunCell) -> CellAnswer:
        """Run a cell and evaluate the expressions that a prediction requests."""
        if not self.begun:
            self.begun = True
            sys.modules["lesson"] = self._module
        filename, code, space = question.filename, question.code, self._module.__dict__
        learner_module.remember(code, filename)
        started = time.perf_counter()
        values: dict[str, Any] = {}
        trouble, trace = None, ""
        if question.trace:
            self._begin_trace(filename)
        try:
            learner_module.execute(code, filename, space, echo=question.echo)
            for expression in question.evaluate:
                values[expression] = to_plain_value(eval(expression, space))
        except BaseException as error:
            trouble = error_text(learner_module.describe_error(error, filename))
        ms = (time.perf_counter() - started) * 1e3
        if (cells := sys.modules.get("tutor.course.package_cells")) and (said := cells.end_cell()):
            print(said)
        if question.trace:
            trace = write_json_object(self._watch.tracer.to_json())
            self._watch.rest()
        _flush()
        return CellAnswer(trouble is None, ms, trouble or "", write_json_object(values), trace)

    def _begin_trace(self, filename: str) -> None:
        from tutor.judge.interpreter.hooks import InterpreterHooks

        if self._watch is None:
            self._watch = InterpreterHooks(filename, compares=False)
            self._watch.install()
        self._watch.filename = filename
        self._watch.begin(poison=None)
        self._watch.trace(True)


def error_text(report: LearnerError) -> str:
    """Return a cell's error: its translation, if the table has one, above the original text."""
    known = error_messages.match_error(report.type, report.message)
    return f"{known[1]}\n\n{report.detail}" if known else report.detail


def to_plain_value(value: Any) -> Any:
    """Return a bounded value that a message can carry: numbers, strings, booleans, and lists and
    dicts of them; the `str` of any other value."""
    if isinstance(value, torch.Tensor):
        value = value.tolist() if value.numel() <= 64 else str(value)
    if type(value) is int and value.bit_length() > MAX_BITS:
        return f"a number of {value.bit_length()} bits"
    if value is None or type(value) in (bool, int, float):
        return value
    if isinstance(value, list | tuple):
        return [to_plain_value(v) for v in value[:MAX_ITEMS]]
    if isinstance(value, dict):
        some = list(value.items())[:MAX_ITEMS]
        return {escape_surrogates(str(k)[:MAX_TEXT]): to_plain_value(v) for k, v in some}
    return escape_surrogates(str(value)[:MAX_TEXT])


def _flush() -> None:
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
        ctypes.CDLL(None).fflush(None)
