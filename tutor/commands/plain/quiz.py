"""A quiz in plain lines, and what a checkpoint has after its questions."""

import textwrap
import time
from collections.abc import Callable
from typing import Any

import click

from tutor.commands.plain.question import UNKNOWN, ask_question, be_lenient, read_line
from tutor.commands.support.console import prose, say, say_prose
from tutor.course.catalog.course import Course
from tutor.course.model import AskedQuestion, Misconception, Prompt, Quiz
from tutor.memory.checkpoint_evidence import proofs
from tutor.memory.course_sync import page_of
from tutor.memory.day_summary import predict_return
from tutor.memory.quiz_session import open_session, say_where_it_begins
from tutor.memory.record import Record
from tutor.quiz import band
from tutor.quiz.numbers import show_points

_TRUTHS = {"t": "true", "p": "partly", "n": "false"}
_WORDS = {"true": "It is true.", "partly": "It is partly true.", "false": "It is not true."}


def ask_quiz(
    quiz: Quiz, course: Course, record: Record, find: Callable[[AskedQuestion, Any], Any]
) -> int:
    """Ask every question from where the quiz was left, then the rest of a checkpoint; each answer is
    in the record before the next thing is shown. Returns the exit status: 0, or 130 after ctrl+c."""
    be_lenient()
    count = len(quiz.questions)
    click.echo(f"Day {quiz.day}: {quiz.title}. {count} question{'s' * (count != 1)}.")
    click.echo(f"Type {UNKNOWN} where you do not know, ctrl+d to stop.")
    session = open_session(quiz.questions, record)
    earned = [credit for _, credit in session.results.values()]  # of answers in the record
    missed: list[AskedQuestion] = list(session.wrong)
    if said := say_where_it_begins(session):
        click.echo(said)
    stopped = "Every answer given is kept."
    try:
        for number, question in enumerate(session.questions, 1):
            if question.id in session.results:
                continue
            click.echo(f"\n{number} of {count}")
            asked = ask_question(question, record, find, "quiz")
            earned.append(asked.result.credit)
            missed += [question] if asked.result.right is False else []
            if asked.leaving and number < count:
                raise asked.leaving
        _score(quiz, record, earned)
        _say_missed(missed, course, record)
        if quiz.is_checkpoint:
            stopped = "Everything before this is kept."
            _after_questions(quiz, course, record)
    except (EOFError, KeyboardInterrupt) as error:
        click.echo(f"\nStopped after {len(earned)} of {count}. {stopped}")
        if len(earned) < count:
            _say_missed(missed, course, record)
        return 130 if isinstance(error, KeyboardInterrupt) else 0
    return 0


def _score(quiz: Quiz, record: Record, earned: list[float]) -> None:
    score = sum(earned)
    reached = band(quiz, score, len(earned))
    if quiz.is_checkpoint:
        record.checkpoints.add(quiz.day, score, len(earned), reached.name if reached else "")
    click.echo(f"\n{show_points(score, len(earned))} points")
    if reached:
        say(f"{reached.name}: {reached.advice}")
        if reached.revisit:
            click.echo(f"Read again: Day {', '.join(map(str, reached.revisit))}")


def _say_missed(missed: list[AskedQuestion], course: Course, record: Record) -> None:
    """Say which questions went wrong, where to read about each, and when they return."""
    if not missed:
        return
    click.echo("\nNot right yet:")
    for question in missed:
        day, _, title = page_of(course, question)
        prompt = " ".join(prose(question.prompt.strip().split("\n\n")[0]))
        prompt = textwrap.shorten(prompt, 240, placeholder=" …")
        say(f"- {prompt} Read: Day {day}{', ' + title if title else ''}.")
    say(predict_return(record, missed))


def _after_questions(quiz: Quiz, course: Course, record: Record) -> None:
    if quiz.checklist:
        click.echo("\nI can … Type y or n.")
    for can_do in quiz.checklist:
        click.echo()
        say_prose(can_do.text)
        for proof in proofs(can_do, course, record):
            say(f"  {'yes' if proof.done else 'not yet'}: {proof.text}")
        record.checkpoints.tick(quiz.day, can_do.id, _one_of("y or n: ", "yn") == "y")
    if quiz.misconceptions:
        click.echo("\nTrue or not, and why.")
    for item in quiz.misconceptions:
        _misconception(quiz.day, item, record)
    if quiz.reflection:
        click.echo(f"\n{quiz.reflection.minutes} minutes of writing. An empty line ends a text.")
        for prompt in quiz.reflection.prompts:
            _write(quiz.day, prompt, record)


def _misconception(day: int, item: Misconception, record: Record) -> None:
    click.echo()
    say_prose(item.statement)
    said = _TRUTHS[_one_of("t true, p partly, n not true: ", "tpn")]
    reason = ""
    while not reason:
        reason = read_line("Why? ")
    right = said == item.truth
    record.checkpoints.add_misconception(day, item.id, said, reason, right)
    say(f"{'Right' if right else 'Wrong'}.")
    say_prose(f"{_WORDS[item.truth]} {item.why}")
    if item.source:
        say(f"Source: {item.source}")


def _write(day: int, prompt: Prompt, record: Record) -> None:
    """Lines up to an empty one. What was typed is kept also where the input ends."""
    click.echo()
    say_prose(prompt.text)
    began = time.monotonic()
    lines: list[str] = []
    try:
        while line := read_line("| "):
            lines.append(line)
    finally:
        if lines:
            record.checkpoints.add_reflection(
                day, prompt.id, "\n".join(lines), time.monotonic() - began
            )
    if prompt.focus:
        for number, topic in enumerate(prompt.topics, 1):
            click.echo(f"  {number}  {topic}")
        numbers = [str(n) for n in range(1, len(prompt.topics) + 1)]
        chosen = _one_of("The shaky one, by its number (Enter: none): ", ["", *numbers])
        if chosen:
            record.settings.set_focus(prompt.topics[int(chosen) - 1])


def _one_of(prompt: str, words: str | list[str]) -> str:
    while True:
        word = read_line(prompt).lower()
        if word in list(words):
            return word
        click.echo(f"Type one of {', '.join(filter(None, words))}.")
