"""`tutor review`: what is due, asked in plain lines, rated by the learner."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import click

from tutor.base import paths
from tutor.base.config import load_config
from tutor.base.day_text import format_day
from tutor.base.errors import UsageError
from tutor.base.runner_table import Runner
from tutor.commands.plain.program_questions import are_open, ask_about_program, may_ask
from tutor.commands.plain.question import UNKNOWN, Command, ask_question, be_lenient, read_line
from tutor.commands.support.cold_start import cold_option
from tutor.commands.support.console import say, say_prose
from tutor.commands.support.open_record import use_record
from tutor.commands.support.progress_line import ProgressLine
from tutor.commands.support.runner_option import runner_option
from tutor.commands.support.verdict_output import Early, keep_attempt
from tutor.course.catalog.course import Course, open_course
from tutor.course.model import AskedQuestion, Exercise
from tutor.judge import workspace
from tutor.judge.client import Judge, Provisional, Submission
from tutor.judge.computed_answers import compute
from tutor.judge.model.verdict import Verdict
from tutor.judge.twists.asked import hold_to_twist
from tutor.memory.card_list import say_undone, title_of
from tutor.memory.course_sync import sync
from tutor.memory.question_choice import self_contained, to_ask
from tutor.memory.record import Record
from tutor.memory.review_session import Session, Summary, Twist, twist_of
from tutor.memory.schedule.ratings import AGAIN, RATING_NAMES
from tutor.memory.store.rows import CardId, QueuedCard

_HELP = (
    "Commands, wherever > is: :u undoes the last rating, :b not today, :s never again, "
    ":f flags, :n TEXT notes, :q stops."
)


@click.command("review")
@click.option("--plain", is_flag=True, help="Plain lines; this command has no other form.")
@click.option("--phase", type=int, help="Only cards of this phase.")
@click.option("--topic", help="Only cards with this tag.")
@click.option("--cram", is_flag=True, help="Due or not; the schedule stays as it is.")
@runner_option
@cold_option
def review_command(
    plain: bool, phase: int | None, topic: str | None, cram: bool, runner: Runner | None, cold: bool
) -> int:
    """Ask what is due: questions, terms and exercises, mixed. Each rating is kept at once."""
    be_lenient()
    course = open_course()
    if phase is not None and phase not in course.phases:
        there = ", ".join(map(str, course.phases))
        raise UsageError(f"there is no phase {phase}; the course has {there}")
    with use_record() as record:
        with ProgressLine("finding what is due"):
            changed = sync(record, course).sentence
            if topic and not any(topic in row.card.topics for row in record.reviews.list_every()):
                raise UsageError(f"no card has the tag {topic!r}; `tutor cards` lists them all")
            session = Session(record, record.today(), cram=cram, phase=phase, topic=topic)
        if changed:
            click.echo(f"tutor: {changed}", err=True)
        with _one_judge(partial(Judge, course.root, cold=cold, runner=runner)) as judge:
            review = _Review(course, record, session, judge, "cram" if cram else "review")
            return review.run()


@contextmanager
def _one_judge(make: Callable[[], Judge]) -> Iterator[Callable[[], Judge]]:
    """A function that gives the judge, started by the first card that needs one."""
    made: list[Judge] = []

    def get() -> Judge:
        if not made:
            made.append(make())
        return made[0]

    try:
        yield get
    finally:
        for judge in made:
            judge.close()


class _Review:
    """A review session in lines."""

    def __init__(
        self,
        course: Course,
        record: Record,
        session: Session,
        judge: Callable[[], Judge],
        origin: str,
    ) -> None:
        self.course, self.record, self.session = course, record, session
        self.judge, self.origin = judge, origin
        self._opened: set[CardId] = set()  # exercises whose file is this session's
        self._missed: set[CardId] = set()  # exercises that were right, but not by the twist

    def run(self) -> int:
        """Returns the exit status: 0, or 130 after ctrl+c."""
        status = 0
        if self.session.left:
            say(f"{_left(self.session)}. {UNKNOWN} where you do not know. {_HELP}")
        try:
            while (card := self.session.next()) is not None:
                click.echo()
                say(f"{_left(self.session)}. {_about(card)}")
                try:
                    self._ask(card)
                except Command as command:
                    if not self._do(command.word):
                        break
        except EOFError:
            click.echo("")
        except KeyboardInterrupt:
            status = 130
            click.echo("")
        left = 0 if self.origin == "cram" else self.session.left
        summary = self.session.summary()
        begin = self.record.say_begin(summary.next) if summary.next else ""
        say(*end(summary, self.record.today(), left, begin))
        return status

    def _ask(self, card: QueuedCard) -> None:
        if card.id.kind == "question":
            question = self.course.question(card.id.key)
            assert question is not None  # the queue holds what the course has
            question = to_ask(self.record, self_contained(self.course, question))
            asked = ask_question(
                question, self.record, self._find, self.origin, commands=True, sure=False
            )
            proposed = self.record.reviews.find_rating(asked.row)
            if asked.leaving:
                raise asked.leaving
            self._rate(asked.row, proposed, asked.seconds, given_up=asked.given_up)
        elif card.id.kind == "term":
            self._term(card)
        else:
            self._kernel(card)

    def _find(self, question: AskedQuestion, value: Any) -> Any:
        return compute(self.judge(), question, value) if question.on_machine else None

    def _term(self, card: QueuedCard) -> None:
        term = next(term for term in self.course.glossary() if term.id == card.id.key)
        began = time.monotonic()
        say(f"{term.term}: what does it mean? Say it, then press Enter.")
        _command_or_line()
        say_prose(term.says)
        say(f"Source: {term.source}")
        self._rate(None, None, time.monotonic() - began)

    def _rate(
        self, row: int | None, proposed: int | None, seconds: float, *, given_up: bool = False
    ) -> None:
        """Ask for a rating that is offered until one is given; Enter takes the proposed one."""
        days = self.session.preview(row, given_up=given_up)
        proposed = proposed if proposed in days else None
        words = [
            f"{rating} {RATING_NAMES[rating]}{'' if self.origin == 'cram' else _when(after)}"
            for rating, after in days.items()
        ]
        click.echo(", ".join(words) + (f"; Enter: {RATING_NAMES[proposed]}" if proposed else ""))
        while True:
            try:
                text = _command_or_line()
            except Command as command:
                if command.word[0] not in "fn":
                    raise
                self._do(command.word)  # the card stays as far as it is
                continue
            if not text and proposed:
                text = str(proposed)
            if text in map(str, days):
                self.session.rate(int(text), seconds, row)
                return
            *most, last = map(str, days)
            click.echo(f"Type {', '.join(most)} or {last}." if most else f"Type {last}.")

    def _kernel(self, card: QueuedCard) -> None:
        """Write the starter to a new file; the judge's verdict rates the card."""
        exercise = self.course.exercise(card.id.key)
        path = workspace.path_for(exercise, paths.work_dir() / "review")
        if path.exists() and card.id not in self._opened:
            self.record.activity.save_edit(
                exercise.slug, str(path), workspace.read_learner_file(path)
            )
            workspace.write(path, workspace.read_learner_file(exercise.starter))
        workspace.start_learner_file(exercise, path.parent)
        self._opened.add(card.id)
        say_prose(f"Write `{exercise.entry}` again. {exercise.task.strip()}")
        twist = twist_of(exercise, card.reviews)
        say_prose(f"This time: {twist.text}")
        click.echo(f"Your file: {path}")
        by_hand = " · 1 to 4: rate it yourself" if card.id in self._missed else ""
        click.echo(f"Enter: judge it · {UNKNOWN}: give up · >: skip it for now{by_hand}.")
        text = _command_or_line()
        if text == UNKNOWN:
            self.session.rate(1)
        elif text == ">":
            self.session.skip()
        elif by_hand and text in map(str, RATING_NAMES):
            self.session.rate(int(text))
        else:
            self._judge(card, exercise, path, twist)

    def _judge(self, card: QueuedCard, exercise: Exercise, path: Path, twist: Twist) -> None:
        source = workspace.read_learner_file(path)
        early, right = Early(exercise, source), False
        asked = Submission(exercise.slug, source, str(path), explain=True)
        for event in self.judge().submit(asked):
            if isinstance(event, Provisional):
                early.say(hold_to_twist(event.verdict, twist.number))
            elif isinstance(event, Verdict):
                verdict = hold_to_twist(event, twist.number)
                say(*early.rest(verdict))
                keep_attempt(self.record, exercise, verdict, source)
                right, missed = verdict.passed, verdict.passed != event.passed
                self._missed = self._missed | {card.id} if missed else self._missed - {card.id}
        rating = None
        if twist.asks and self.session.find_attempt() is not None:
            rating = self._ask_about_twist(twist)
        elif (rating := self.session.take_attempt()) is not None:
            click.echo(f"The verdict rates it: {RATING_NAMES[rating]}.")
        remembered = rating is not None and rating > AGAIN
        if remembered and right and self.origin == "review" and are_open(self.record, exercise):
            self._ask_about_program(exercise, path, source)

    def _ask_about_twist(self, twist: Twist) -> int | None:
        """Ask whether a right answer was written by its twist, until that is said. Return the rating."""
        say_prose(f"Did you do it this way? {twist.text}")
        while (text := _command_or_line().lower()) not in ("y", "n"):
            click.echo("Type y or n.")
        rating = self.session.answer_twist(text == "y")
        if rating is not None:
            click.echo(f"Rated {RATING_NAMES[rating]}.")
        return rating

    def _ask_about_program(self, exercise: Exercise, path: Path, source: str) -> None:
        """Ask what the right program does, as the lab and `tutor check` do; on a terminal only."""
        if may_ask():
            target = load_config().config.target
            ask_about_program(self.judge(), self.record, exercise, source, path, target)

    def _do(self, word: str) -> bool:
        """A command; False to stop."""
        name, _, text = word.partition(" ")
        if name == "q":
            return False
        if name == "u":
            card = self.session.undo()
            if undone := self.session.undone:
                say(say_undone(undone, title_of(card) if card else undone.card.key))
            else:
                click.echo("There is nothing to undo.")
        elif name == "b":
            self.session.bury()
        elif name == "s":
            self.session.suspend()
        elif name == "f":
            self.session.flag(1)
        elif name == "n":
            self.session.note(text)
        else:
            say(_HELP)
        return True


def _command_or_line() -> str:
    text = read_line("> ")
    if text.startswith(":") and len(text) > 1:
        raise Command(text[1:])
    return text


def _left(session: Session) -> str:
    return ", ".join(f"{count} {name}" for name, count in session.counts.items())


def _when(days: int) -> str:
    return f" ({days} d)" if days else " (soon)"


def _about(card: QueuedCard) -> str:
    """Describe what is special about a card."""
    words = [f"Day {card.day}."]
    if card.changed:
        words.append("It has changed since you last saw it.")
    if card.leech:
        words.append(f"Forgotten {card.lapses} times: read Day {card.day} again.")
    if card.confident_mistake:
        words.append("You were sure of a wrong answer here.")
    if card.note:
        words.append(f"Your note: {card.note}")
    return " ".join(words)


def end(summary: Summary, today: date, left: int = 0, begin: str = "") -> list[str]:
    """Return what was strong, what was weak, and when to come back: at once if cards are `left`.
    `begin`: what follows the date of the next review."""
    if not summary.reviewed:
        lines = ["Nothing was reviewed."]
    else:
        lines = [f"{summary.remembered} of {summary.reviewed} remembered."]
    for name, topics in (("Strong", summary.strong), ("Weak", summary.weak)):
        if topics:
            lines.append(f"{name}: {', '.join(topics)}")
    lines += [f"Read again: Day {card.day}, {card.title}" for card in summary.leeches]
    if left:
        lines.append(f"{left} {'card is' if left == 1 else 'cards are'} left for today.")
    elif summary.next:
        lines.append(f"Back on {summary.next:%A}, {format_day(summary.next, today)}{begin}.")
    return lines
