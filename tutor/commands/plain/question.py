"""A question in plain lines on stdin and stdout: for pipes, slow lines and screen readers."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import indent
from typing import Any

import click

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.commands.support.console import prose, say, say_prose
from tutor.course.model import AskedQuestion
from tutor.judge import workspace
from tutor.memory.answers import GivenAnswer
from tutor.memory.record import Record
from tutor.quiz import Grade, grade, parse_answer
from tutor.quiz.answer_parsing import LONGEST, check_program, format_answer
from tutor.quiz.answer_text import LEFT_OUT, extract_changes
from tutor.quiz.option_order import to_labels

_HOW = {  # where the keys are letters; `_how` also knows keys that are words
    "choice": "one letter",
    "multi": "all that are right, as in: a c",
    "number": "a number",
    "text": "a few characters",
    "order": "first to last, as in: c a b",
    "match": "pairs, as in: a=x b=y",
    "fill": "one text a blank, with | between",
    "line": "the number of the line",
    "open": "a sentence or two, on one line",
    "code": "a file to change",
}
UNKNOWN = "?"
_CODE = "    "


@dataclass(frozen=True)
class Asked:
    """An answer that is in the record. `leaving`: the learner stopped right after giving it;
    `given_up`: the answer was "I do not know"."""

    row: int
    result: Grade
    seconds: float
    given_up: bool
    leaving: BaseException | None = None


@dataclass(frozen=True)
class Taken:
    """An answer that is not graded yet. `later` is said in place of what was right."""

    given: GivenAnswer
    later: str = ""
    leaving: BaseException | None = None


class Command(Exception):
    """Instead of an answer, one of a review's commands was typed; `word` is what followed `:`."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


def be_lenient() -> None:
    """Bytes that are not UTF-8 are a wrong answer, not a crash."""
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")


def ask_question(
    question: AskedQuestion,
    record: Record,
    find: Callable[[AskedQuestion, Any], Any],
    origin: str,
    commands: bool = False,
    later: str = "",
    sure: bool = True,
) -> Asked:
    """Ask, store, then say what was right. `find` gives what this machine must run for the grade.

    `later` is said in place of what was right; an open answer is not compared then. `sure`: ask how
    sure the learner is.
    Raises `EOFError` or `KeyboardInterrupt` where the learner stops without an answer, and with
    `commands` a `Command`.
    """
    return settle([take_answer(question, commands, later, sure)], record, find, origin)[0]


def take_answer(
    question: AskedQuestion, commands: bool = False, later: str = "", sure: bool = True
) -> Taken:
    """Ask, and return the answer ungraded. Raises as `ask_question` does."""
    say(*format_question(question))
    began = time.monotonic()
    value = _value(question, commands)
    seconds = time.monotonic() - began
    confidence: int | None = None
    leaving: BaseException | None = None
    try:
        if value is not None and question.kind == "open":
            value = value if later else _rate(question, value)
        elif value is not None and sure:
            confidence = _confidence()
    except (EOFError, KeyboardInterrupt) as error:
        leaving = error  # the answer itself was given: keep it first
    return Taken(GivenAnswer(question, value, confidence, seconds), later, leaving)


def settle(
    taken: Sequence[Taken], record: Record, find: Callable[[AskedQuestion, Any], Any], origin: str
) -> list[Asked]:
    """Grade and store each answer, then say what was right.

    Raises `KeyboardInterrupt` where the learner stops what this machine runs for a grade; the answers
    are then stored without one.
    """
    done: list[Asked] = []
    for index, answer in enumerate(taken):
        given, question = answer.given, answer.given.question
        if given.on_machine and not done:
            click.echo("Running the code on this machine …")
        try:
            result = given.grade(find)
        except KeyboardInterrupt:
            for left in taken[index:]:
                record.activity.answer(left.given, None, origin)
            raise
        row = record.activity.answer(given, result, origin)
        if question.kind == "code":
            remove_program_file(question)
        if len(taken) > 1:  # its question stands further up
            click.echo()
            _recall(question, given.value)
        shown = (
            [answer.later] if answer.later else _reveal(question, result, given.value is not None)
        )
        say(*shown)
        done.append(Asked(row, result, given.seconds, given.value is None, answer.leaving))
    return done


def explain(question: AskedQuestion, result: Grade, *, known: bool) -> None:
    """Say what was right of an answer that is stored. Not `known`: the learner did not know."""
    say(*_reveal(question, result, known))


def ask_until_right(
    question: AskedQuestion, record: Record, find: Callable[[AskedQuestion, Any], Any], origin: str
) -> None:
    """Ask a `code` question of a lesson again after each wrong try. Each is stored.

    Raises `EOFError` or `KeyboardInterrupt` where the learner stops.
    """
    say(*format_question(question))
    while True:
        began = time.monotonic()
        value = _value(question, commands=False)
        given = GivenAnswer(question, value, seconds=time.monotonic() - began)
        if value is not None:
            click.echo("The judge checks it …")
        result = given.grade(find)
        if result.right is not None:  # else the judge cannot run here
            record.activity.answer(given, result, origin)
            origin = "retry"
        if result.right is not False or value is None:
            break
        say("Wrong.", *result.feedback.splitlines(), "Change it and press Enter again.")
    if result.right is not None:
        remove_program_file(question)
    say(*_reveal(question, result, known=value is not None))


def compare_with_model(question: AskedQuestion, text: str, record: Record, origin: str) -> None:
    """Show the model answer to an open answer that is on record, and keep what it named.

    Raises `EOFError` or `KeyboardInterrupt` where the learner stops.
    """
    given = GivenAnswer(question, _rate(question, text))
    result = given.grade()
    record.activity.answer(given, result, origin)
    say(*_reveal(question, replace(result, answer="")))  # the answer was shown to compare


def reveal_earlier(question: AskedQuestion, record: Record) -> None:
    """Show the answer of a riddle that was asked earlier, and what was answered then."""
    last = record.activity.last_answer(question.id)
    value = to_labels(question, last.value) if last else None
    if last:
        _recall(question, value)
    else:
        say_prose(f"You were asked: {question.prompt.strip()}")
        click.echo("You have not answered it.")
    if isinstance(value, str) and question.kind == "open":
        compare_with_model(question, value, record, "predict")
        return
    result = grade(question, value)
    if question.kind == "open":
        result = replace(result, right=None)
    say(*_reveal(question, result, known=value is not None))


def _recall(question: AskedQuestion, value: Any) -> None:
    """Say what was asked and answered, under the labels that were shown."""
    say_prose(f"You were asked: {question.prompt.strip()}")
    if value is None:
        click.echo("You did not know.")
    elif question.kind == "open":
        say(f"You said: {value if isinstance(value, str) else value.get('text', '')}")
    else:
        say(f"You said: {format_answer(question, value)}")


def remove_program_file(question: AskedQuestion) -> None:
    """Remove the file of a `code` question, so that the next asking begins with a new one."""
    _file_of(question).unlink(missing_ok=True)


def _file_of(question: AskedQuestion) -> Path:
    return paths.work_dir() / "drills" / f"{question.id}.py"


def _program(question: AskedQuestion, commands: bool) -> Any:
    """Let the learner change a file. Return its text, or None for "I do not know"."""
    path = _file_of(question)
    if not path.exists():
        paths.ensure(path.parent)
        workspace.write(path, question.code + "\n")
    click.echo(f"Your file: {path}")
    click.echo(f"Change it in your editor. Enter has it judged, {UNKNOWN} shows the answer.")
    return _read(lambda _: check_program(question, workspace.read_learner_file(path)), commands, "")


def format_question(question: AskedQuestion) -> list[str]:
    """The question as lines of plain text; code is numbered where a line is asked for."""
    lines = prose(question.prompt)
    if shown := question.shown_code or question.text:
        code = shown.strip("\n").split("\n")
        numbered = question.kind == "line"
        code = [f"{i:>5}  {c}" if numbered else f"    {c}" for i, c in enumerate(code, 1)]
        lines.append("\n".join(["", *(line.rstrip() for line in code)]))  # one text: never wrapped
    choices = {**question.options, **question.items, **question.left}
    if choices:
        lines += ["", *_choices(choices)]
    if question.right:
        lines += ["  with", *_choices(question.right)]
    return [*lines, "", f"({_how(question)}{', in ' + question.unit if question.unit else ''})"]


def _how(question: AskedQuestion) -> str:
    """Say how to type an answer. Keys that are words are typed as they stand."""
    kind = question.as_kind or question.kind
    keys = list(question.options or question.items or question.left)
    if all(len(key) == 1 for key in [*keys, *question.right]):
        return _HOW[kind]
    names = ", ".join(keys)
    return {
        "choice": f"one of these words: {names}",
        "multi": f"all that are right, separated by spaces, of: {names}",
        "order": f"these words, first to last, separated by spaces: {names}",
        "match": "a word of the first list, =, a word of the second; then a blank and the next pair",
    }[kind]


def _choices(texts: dict[str, str]) -> list[str]:
    return [f"  {key}  {' '.join(prose(text))}" for key, text in texts.items()]


def _reveal(question: AskedQuestion, result: Grade, known: bool = True) -> list[str]:
    if result.right is None and question.kind == "code":
        return [result.feedback]
    answer = ""
    if result.right is None:
        lines = result.feedback.splitlines()
        answer = f"A good answer: {result.answer}"
    elif result.right:
        lines = ["Right.", *result.feedback.splitlines()]
    else:
        partly = f"Partly right ({result.credit:.0%})."
        word = "Noted." if not known else partly if result.credit else "Wrong."
        lines = [word, *result.feedback.splitlines()]
        answer = f"The answer: {result.answer}"
    if result.answer and question.kind == "code":
        shown = extract_changes(question.code, result.answer)
        lines += ["What changes:" if LEFT_OUT in shown else "The answer:", indent(shown, _CODE)]
    elif result.answer and "\n" in result.answer:
        lines += ["The answer:", *(f"  {line}" for line in result.answer.splitlines())]
    elif result.answer and answer:
        lines.append(answer)
    lines += [f"{key}: {text}" for key, text in _other_options(question, result)]
    lines += prose(result.explanation)
    if question.source:
        lines.append(f"Source: {question.source}")
    return [line.rstrip() for line in lines if line.strip()]


def _other_options(question: AskedQuestion, result: Grade) -> list[tuple[str, str]]:
    """Explain why each option tempts or is right, without the feedback already shown."""
    told = ((key, question.feedback[key]) for key in question.options if key in question.feedback)
    return [(key, text) for key, text in told if text.strip() not in result.feedback]


def _value(question: AskedQuestion, commands: bool) -> Any:
    """Ask until the typed answer can be read; return None for "I do not know"."""
    if question.kind == "code":
        return _program(question, commands)
    return _read(
        lambda text: parse_answer(question, text), commands, f" ({UNKNOWN} if you do not know)"
    )


def _read(value: Callable[[str], Any], commands: bool, after_error: str) -> Any:
    """Read lines until `value` accepts one; return its result, or None for "I do not know".

    `after_error` follows the text of a `ValueError` or `UsageError` that `value` raises.
    """
    while True:
        text = read_line("> ")
        if text == UNKNOWN:
            return None
        if commands and text.startswith(":") and len(text) > 1:
            raise Command(text[1:])
        try:
            return value(text)
        except (ValueError, UsageError) as error:
            click.echo(f"{error}{after_error}")


def _confidence() -> int | None:
    while True:
        text = read_line("How sure, 1 to 5 (Enter skips): ")
        if not text:
            return None
        if text in ("1", "2", "3", "4", "5"):
            return int(text)
        click.echo("Type a number from 1 (a guess) to 5 (certain), or Enter.")


def _rate(question: AskedQuestion, text: str) -> dict[str, Any]:
    """An open answer with the points that the learner finds in it."""
    click.echo()
    say_prose(f"A good answer: {question.model}")
    click.echo("\nIt names:")
    say(*_choices({str(i): point for i, point in enumerate(question.points, 1)}))
    while True:
        words = (
            read_line("Which of these points did you make, as in: 1 3 (Enter: none) ")
            .replace(",", " ")
            .split()
        )
        named = sorted({int(word) for word in words if word.isdecimal() and len(word) < 4})
        if len(named) == len(set(words)) and all(1 <= n <= len(question.points) for n in named):
            return {"text": text, "points": named}
        click.echo(f"Type numbers from 1 to {len(question.points)}, or Enter.")


def read_line(prompt: str) -> str:
    """A line of stdin without its ends; of one that is too long to be an answer, the beginning.

    Raises `EOFError` at the end of the input.
    """
    click.echo(prompt, nl=False)
    text = sys.stdin.readline(LONGEST + 2)
    rest = text
    while rest and not rest.endswith("\n"):
        rest = sys.stdin.readline(LONGEST + 2)
    if not text:
        raise EOFError
    return text.strip()
