"""The line of the learner's file with which an ONNX model became what is refused.

The learner's function is called once more under a trace. Two things are looked for: the line that made
the node at fault, and the last line after which the model, changed in place, has the fault that it has
in the end.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import onnx

from tutor.judge.diagnosis.onnx_errors import Explained

_MOST_LOOKS = 400  # states of the model that are checked
_SECONDS = 2.0
_MAKE_NODE = onnx.helper.make_node.__code__


class _Enough(BaseException):
    """Ends a call that takes too long."""


def find_line(
    entry: Callable[..., Any], model: Any, why: Explained, refuse: Callable[[Any], str]
) -> int | None:
    """Call the entry on the model again and return the line, or None where no line is found.

    `refuse` returns the sentence with which a state of the model would be refused, or ""; it is asked
    where the fault alone cannot be looked for (`Explained.holds`).
    """
    code = getattr(entry, "__code__", None)
    if code is None:
        return None
    trace = _Trace(code, model, why, refuse)
    before = sys.gettrace()
    sys.settrace(trace.enter)
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # it was printed by the first call
            entry(model)
    except (_Enough, Exception):
        return None
    finally:
        sys.settrace(before)
    return trace.found


class _Trace:
    def __init__(
        self, entry: types.CodeType, model: Any, why: Explained, refuse: Callable[[Any], str]
    ) -> None:
        self._entry, self._model, self._why, self._refuse = entry, model, why, refuse
        self._filename = entry.co_filename
        self._until = time.monotonic() + _SECONDS
        self._looks = 0
        self._state = model.SerializeToString()
        self._refused = False
        self._said = ""  # of the state before
        self._line: int | None = None  # that ran last, in the learner's file
        self._turned: int | None = None  # after which the model is refused
        self._made: int | None = None  # that made the node at fault

    @property
    def found(self) -> int | None:
        node_first = self._made if self._why.own else None
        turned = self._turned if self._refused else None
        return node_first or turned or self._made

    def enter(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        if frame.f_code is _MAKE_NODE:
            return self._follow_maker
        if frame.f_code.co_filename != self._filename:
            return None
        return self._follow_learner

    def _follow_maker(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        node, caller = self._why.node, frame.f_back
        if event == "return" and node is not None and arg is not None and caller is not None:
            same = (arg.op_type, list(arg.output)) == (node.op_type, list(node.output))
            if same and caller.f_code.co_filename == self._filename:
                self._made = caller.f_lineno
        return self._follow_maker

    def _follow_learner(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        if time.monotonic() > self._until:
            raise _Enough
        if event == "line":
            self._look()
            self._line = frame.f_lineno
        elif event == "return":
            self._look()
            if frame.f_code is not self._entry and frame.f_back is not None:
                self._line = frame.f_back.f_lineno
        return self._follow_learner

    def _look(self) -> None:
        state = self._model.SerializeToString()
        if state == self._state:
            return
        self._state = state
        self._looks += 1
        if self._looks > _MOST_LOOKS:
            raise _Enough
        if self._why.holds:
            refused, clear = self._why.holds(self._model), True
        else:
            said = self._refuse(self._model)
            refused, clear = said == self._why.sentence, not self._said
            self._said = said
        if refused and not self._refused:
            # Behind another fault this one may have been there before.
            self._turned = self._line if clear else None
        self._refused = refused
