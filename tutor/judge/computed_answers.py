"""Answers that this machine computes: a question's code runs, then `answer_from` is evaluated."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tutor.base.errors import CannotHere, UsageError
from tutor.course.model import Question
from tutor.judge import live_cells
from tutor.judge.client import CellDone, Judge
from tutor.xray.model import counts

SECONDS = 60.0  # a prediction's `setup` is all the cells before it


def compute(judge: Judge, question: Question) -> Any | None:
    """Return the value of the question's `answer_from`, or None if this machine cannot compute it."""
    if question.xray is not None:
        return _counted(judge, question)
    session = f"question {question.id}"
    cells = [code for code in (question.setup, question.code) if code]
    values: dict[str, Any] = {}
    try:
        for i, code in enumerate(cells, 1):
            evaluate = (question.answer_from,) if i == len(cells) else ()
            for event in judge.run_cell(
                session, code, mode=question.mode, evaluate=evaluate, seconds=SECONDS
            ):
                if isinstance(event, CellDone):
                    if not event.ok:
                        return None
                    values = event.values
        return values.get(question.answer_from)
    except CannotHere:
        return None
    finally:
        judge.end_session(session)


def _counted(judge: Judge, question: Question) -> Any | None:
    """Return the lowering ladder's count with the name `answer_from`."""
    assert question.xray is not None
    try:
        stages = live_cells.look(judge, question.xray, (question.setup, question.code))
    except (CannotHere, UsageError):
        return None
    return counts.of_stages(stages).get(question.answer_from)


@contextmanager
def computing(course_root: Path) -> Iterator[Callable[[Question], Any | None]]:
    """Yield a function from a question to its computed answer (None for a question without one).

    The first question that needs the judge's process starts it. It ends with the block.
    """
    with ExitStack() as stack:
        judge: Judge | None = None

        def find(question: Question) -> Any | None:
            nonlocal judge
            if not question.answer_from:
                return None
            if judge is None:
                judge = stack.enter_context(Judge(course_root))
            return compute(judge, question)

        yield find
