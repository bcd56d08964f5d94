"""Questions about a right program in plain lines, after `tutor check`."""

import shlex
import sys
from pathlib import Path

import click

from tutor.base import paths
from tutor.base.errors import CannotHere, UsageError
from tutor.base.terminal import is_terminal
from tutor.commands.plain.question import Command, explain, take_answer
from tutor.commands.support.console import say
from tutor.commands.support.progress_line import ProgressLine
from tutor.course.model import Exercise
from tutor.judge.client import Judge
from tutor.judge.computed_questions import compute_questions
from tutor.judge.questions.program_question import ProgramQuestion, StagePlace
from tutor.memory.answers import GivenAnswer
from tutor.memory.first_pass import say_after_questions
from tutor.memory.record import Record

_SKIP = "skip"


def may_ask() -> bool:
    """Return True if somebody sits at the other end of stdin and stdout."""
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)


def are_open(record: Record, exercise: Exercise) -> bool:
    """Return True if questions about the newest pass of the exercise are still to be asked."""
    return exercise.kind == "kernel" and record.program_answers.open_count(exercise.slug) > 0


def say_how_asked(exercise: Exercise, path: Path) -> str:
    """Return the line that says which command asks them of the file `path`."""
    file = "" if path == paths.work_dir() / f"{exercise.slug}.py" else " [FILE]"
    return f"  Say what yours does: tutor check {exercise.slug}{file} --ask"


def ask_about_program(
    judge: Judge, record: Record, exercise: Exercise, source: str, path: Path, target: str
) -> None:
    """Ask what the learner's right program does, and keep the answers. `target` is the GPU that it is
    compiled for, where a question is about that.

    Raises `KeyboardInterrupt` where the learner stops. At the end of the input the rest stays open.
    """
    with ProgressLine("running and compiling it, for questions about it"):
        try:
            questions = compute_questions(judge, record, exercise, source, str(path), target)
        except (UsageError, CannotHere) as error:
            click.echo(f"tutor: no questions about it: {error}", err=True)
            return
    if not questions:
        return
    answers, slug = record.program_answers, exercise.slug
    costs = "costs nothing this once" if answers.may_leave_out(slug) else "counts them as not known"
    say("", f"Say what yours does. :{_SKIP} leaves the questions out, which {costs}.")
    right = 0
    for at, asked in enumerate(questions):
        click.echo()
        try:
            taken = _take(asked)
        except EOFError:
            click.echo()
            return
        if taken is None:
            answers.leave_out(slug, [each.question for each in questions[at:]])
            return
        result = taken.grade()
        answers.keep(taken, result, slug)
        explain(asked.question, result, known=taken.value is not None)
        right += result.right is True
        if not result.right:
            say(f"See it: {_command_for(asked, judge, exercise, path)}")
    say("", say_after_questions(record, slug, right, len(questions)))


def _take(asked: ProgramQuestion) -> GivenAnswer | None:
    """Return the answer to a question; None where the questions are left out."""
    while True:
        try:
            return take_answer(asked.question, commands=True, sure=False).given
        except Command as command:
            if command.word == _SKIP:
                return None
            click.echo(f"There is no :{command.word} here, only :{_SKIP}.")


def _command_for(asked: ProgramQuestion, judge: Judge, exercise: Exercise, path: Path) -> str:
    """Return the command that shows the answer."""
    place, slug = asked.place, exercise.slug
    if isinstance(place, StagePlace):
        inputs = [word for spec in judge.inputs(slug) for word in ("--input", spec)]
        stage = place.stage.partition(":")[0]
        more = ["--stalls"] if stage == "sass" else []
        what = f"{path}::{exercise.entry_name}"
        return shlex.join(["tutor", "xray", what, *inputs, "--stage", stage, *more])
    program = ",".join(map(str, place.program))
    words = ["tutor", "access", slug, str(path), "--case", place.case, "--program", program]
    return shlex.join(words)
