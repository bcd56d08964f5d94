"""Answers that this machine runs: a question's code and `answer_from`, or the learner's program."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tutor.base.errors import CannotHere, UsageError
from tutor.course.model import AskedQuestion
from tutor.course.reading.question import LONGEST_CODE
from tutor.judge import live_cells
from tutor.judge.client import CellDone, Judge, Submission
from tutor.judge.model.verdict import Verdict
from tutor.judge.reports.verdict_text import summarize_verdict
from tutor.xray.model import counts

SECONDS = 60.0  # a prediction's `setup` is all the cells before it


def compute(judge: Judge, question: AskedQuestion, value: Any = None) -> Any | None:
    """Return the value of the question's `answer_from`, or None if this machine cannot compute it.

    For a `code` question, return the judge's cause and summary of the program `value`, for `grade`.
    """
    if question.kind == "code":
        return _judge_program(judge, question, value)
    if question.xray is not None:
        return _count_on_ladder(judge, question)
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


def _judge_program(
    judge: Judge, question: AskedQuestion, source: Any
) -> dict[str, str | None] | None:
    """Judge a program by the cases of the question's exercise. Nothing is timed."""
    if not isinstance(source, str) or len(source) > LONGEST_CODE:
        return None
    asked = Submission(question.exercise, source, f"{question.id}.py", timing=False)
    try:
        verdict = next((e for e in judge.submit(asked) if isinstance(e, Verdict)), None)
    except (CannotHere, UsageError) as error:
        return {"cause": None, "says": f"Not judged: {error}"}
    if verdict is None:
        return None
    cause = verdict.diagnosis[0].code if verdict.diagnosis else "wrong"
    if cause == "cancelled":
        return None
    return {"cause": "" if verdict.passed else cause, "says": summarize_verdict(verdict, source)}


def _count_on_ladder(judge: Judge, question: AskedQuestion) -> Any | None:
    """Return the lowering ladder's count with the name `answer_from`."""
    assert question.xray is not None
    try:
        stages = live_cells.look(judge, question.xray, (question.setup, question.code))
    except (CannotHere, UsageError):
        return None
    return counts.of_stages(stages).get(question.answer_from)


@contextmanager
def computing(course_root: Path) -> Iterator[Callable[[AskedQuestion, Any], Any | None]]:
    """Yield a function from a question and the learner's value to what `grade` needs of this machine
    (None for a question that needs nothing).

    The first question that needs the judge's process starts it. It ends with the block.
    """
    with ExitStack() as stack:
        judge: Judge | None = None

        def find(question: AskedQuestion, value: Any) -> Any | None:
            nonlocal judge
            if not question.on_machine:
                return None
            if judge is None:
                judge = stack.enter_context(Judge(course_root))
            return compute(judge, question, value)

        yield find
