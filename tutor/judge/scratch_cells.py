"""Cells of the learner's own beside an exercise: they see what the exercise's file defines.

A session of the judge holds the file's names and those that the cells define. It begins afresh when
the file's text has changed, so that no name of an earlier text is left over.
"""

import re
import threading
from collections.abc import Iterator

from tutor.judge.client import CellDone, CellEvent, Judge, Progress

SECONDS = 60.0  # a cell may compile for a while, and can be stopped
# Where Triton has no wheel, exercises without it still have their scratch cells.
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
    """The cell around line `row` (counted from 0): cells are parted by lines that begin with
    `# %%`. Empty lines stand for what comes before it, so that errors name the text's own lines."""
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
        self._holds: str | None = None  # the file's text whose names the session has
        self._one_run = threading.Lock()
        self._begun = False  # whether what the judge does now is this run
        self._stopped = False

    def run(self, code: str, filename: str, source: str, source_name: str) -> Iterator[CellEvent]:
        """Run `code`, after `source` where the session does not hold that yet.

        Ends with a `CellDone`; where `source` itself fails, its error says so and `code` is not run.
        Raises `CannotHere` where there is no judge.
        """
        with self._one_run:
            try:
                yield from self._run(code, filename, source, source_name)
            finally:
                self._begun = self._stopped = False

    def _run(self, code: str, filename: str, source: str, source_name: str) -> Iterator[CellEvent]:
        fresh = self._fresh()  # waits for what the judge does before
        self._begun = True
        if self._stopped:
            yield CellDone(ok=False, error="Stopped before it began.")
            return
        if fresh or source != self._holds:
            self._holds = None
            self._judge.end_session(self._name)
            for text, called in ((_PRELUDE, "torch and triton"), (source, source_name)):
                for event in self._cell(text, called):
                    if not isinstance(event, CellDone):
                        yield event
                    elif not event.ok:
                        yield _about_source(event, source_name)
                        return
            self._holds = source
        for event in self._cell(code, filename, echo=True):
            if isinstance(event, CellDone) and event.lost:
                self._holds = None
            yield event

    def stop(self) -> None:
        """Stop the run under way, or the one that waits for the judge."""
        self._stopped = True
        if self._begun:
            self._judge.cancel()

    def forget(self) -> None:
        """End the session: the next run begins with nothing but the file."""
        with self._one_run:
            self._holds = None
            self._judge.end_session(self._name)

    def _fresh(self) -> bool:
        """Whether the judge has no such session, perhaps because it was started anew."""
        events = list(self._cell("", "scratch"))
        done = events[-1]
        return isinstance(events[0], Progress) or (isinstance(done, CellDone) and done.lost)

    def _cell(self, code: str, filename: str, *, echo: bool = False) -> Iterator[CellEvent]:
        return self._judge.run_cell(
            self._name,
            code,
            seconds=SECONDS,
            exercise_kind=self._kind,
            filename=filename,
            echo=echo,
        )


def _about_source(done: CellDone, source_name: str) -> CellDone:
    return CellDone(
        ok=False, error=f"{source_name} does not run, so this cell has not begun.\n{done.error}"
    )
