"""The learner's scratch cells for an exercise: they see what the exercise's file defines.

A session of the judge holds the file's names and those that the cells define. It is restarted when
the file's text has changed, so that no name of an earlier text is left over.
"""

import re
import threading
from collections.abc import Callable, Iterator

from tutor.judge.client import CellDone, CellEvent, Judge

SECONDS = 60.0  # a cell may compile for a while, and can be stopped
# If Triton has no wheel, exercises without it still have their scratch cells.
_PRELUDE = """\
import torch
try:
    import triton
    import triton.language as tl
except ImportError:
    pass
"""
_BREAK = re.compile(r"#\s*%%")


def cell_at(text: str, row: int) -> str:
    """Return the cell around line `row` (counted from 0). Lines that begin with `# %%` separate
    cells. Empty lines replace the text before it, so that errors have the text's own line numbers.
    """
    lines = text.split("\n")
    breaks = [i for i, line in enumerate(lines) if _BREAK.match(line)]
    start = max((i for i in breaks if i <= row), default=0)
    end = min((i for i in breaks if i > row), default=len(lines))
    return "\n" * start + "\n".join(lines[start:end])


class Scratch:
    """Runs cells in the session `name`, in the mode in which exercises of `kind` are judged. `stop`
    may be called from any thread."""

    def __init__(self, judge: Judge, name: str, kind: str) -> None:
        self._judge, self._name, self._kind = judge, name, kind
        self._holds: str | None = None  # the file's text whose names are in the session
        self._one_run = threading.Lock()
        self._begun = False  # True while the judge's current call is this run

    def run(
        self,
        code: str,
        filename: str,
        source: str,
        source_name: str,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[CellEvent]:
        """Run `code`, after `source` if the session does not have that yet.

        Ends with a `CellDone`. If `source` itself fails, its error says so and `code` does not run.
        `is_stopped` is asked once, when the judge is free. Raises `CannotHere` without a judge.
        """
        with self._one_run:
            try:
                is_new = self._is_new()  # waits for the judge's previous call
                self._begun = True
                if is_stopped():
                    yield CellDone(ok=False, error="Stopped before it began.")
                else:
                    yield from self._run(code, filename, source, source_name, is_new)
            finally:
                self._begun = False

    def _run(
        self, code: str, filename: str, source: str, source_name: str, is_new: bool
    ) -> Iterator[CellEvent]:
        if is_new or source != self._holds:
            self._holds = None
            self._judge.end_session(self._name)
            for text, called in ((_PRELUDE, "torch and triton"), (source, source_name)):
                for event in self._cell(text, called):
                    if not isinstance(event, CellDone):
                        yield event
                    elif not event.ok:
                        yield _blame_source(event, source_name)
                        return
            self._holds = source
        for event in self._cell(code, filename, echo=True):
            if isinstance(event, CellDone) and event.lost:
                self._holds = None
            yield event

    def stop(self) -> None:
        """Stop the run that the judge works on. One that still waits for the judge asks `is_stopped`."""
        if self._begun:
            self._judge.cancel()

    def forget(self) -> None:
        """End the session: the next run starts with only the file."""
        with self._one_run:
            self._holds = None
            self._judge.end_session(self._name)

    def _is_new(self) -> bool:
        """Run an empty cell. Return True if the session has only begun with it, perhaps because the
        judge was restarted."""
        *_, done = self._cell("", "scratch")
        return isinstance(done, CellDone) and (done.began or done.lost)

    def _cell(self, code: str, filename: str, *, echo: bool = False) -> Iterator[CellEvent]:
        return self._judge.run_scratch(
            self._name, code, kind=self._kind, filename=filename, seconds=SECONDS, echo=echo
        )


def _blame_source(done: CellDone, source_name: str) -> CellDone:
    return CellDone(
        ok=False, error=f"{source_name} does not run, so this cell has not begun.\n{done.error}"
    )
