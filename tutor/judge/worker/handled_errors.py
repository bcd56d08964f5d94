"""Errors that were raised during a call and went no further than a function of the learner's file.

Python tells of them by `sys.settrace`, frame by frame. Calls of other files are not followed.
"""

import sys
from types import FrameType, TracebackType
from typing import Any

from tutor.judge.processes.learner_module import describe_error
from tutor.judge.processes.worker_messages.answers import HandledError

_MOST = 50  # errors in one call


class HandledErrors:
    """A context in which such errors are noted in `found`, each once."""

    def __init__(self, filename: str) -> None:
        self._filename = filename
        self._passed: dict[int, tuple[BaseException, list[str]]] = {}  # functions, innermost first

    def __enter__(self) -> "HandledErrors":
        sys.settrace(self._enter_frame)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        sys.settrace(None)
        self._passed.pop(id(error), None)  # it was not handled

    @property
    def found(self) -> tuple[HandledError, ...]:
        return tuple(
            HandledError(functions[0], functions[-1], describe_error(error, self._filename))
            for error, functions in self._passed.values()
        )

    def _enter_frame(self, frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != self._filename:
            return None
        frame.f_trace_lines = False
        return self._note

    def _note(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "exception":
            _, error, _ = arg
            known = self._passed.get(id(error))
            if known:
                known[1].append(frame.f_code.co_name)
            elif isinstance(error, Exception) and len(self._passed) < _MOST:
                self._passed[id(error)] = error, [frame.f_code.co_name]
        return self._note
