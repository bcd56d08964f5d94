"""`tutor watch`: a verdict at each save, with keys on a terminal and plain lines in a pipe."""

import os
import re
import select
import shutil
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from tutor.base import paths
from tutor.base.errors import CannotHere, UsageError
from tutor.base.runner_table import Runner
from tutor.base.terminal import is_dumb, is_terminal, may_colour
from tutor.base.terminal_text import escape_controls, send_control
from tutor.commands.judge import parse_target, read_source
from tutor.commands.plain.program_questions import are_open, say_how_asked
from tutor.commands.support.cold_start import cold_option
from tutor.commands.support.completion import slugs
from tutor.commands.support.console import clean_for_terminal, say
from tutor.commands.support.open_record import use_record
from tutor.commands.support.progress_line import start_in_thread
from tutor.commands.support.runner_option import runner_option
from tutor.commands.support.verdict_output import (
    Early,
    keep_attempt,
    report_on,
    submit_and_wait,
)
from tutor.course.catalog.course import Course, open_course
from tutor.course.model import Exercise
from tutor.judge import workspace
from tutor.judge.client import Judge, Submission
from tutor.judge.model.verdict import Repair, Verdict
from tutor.judge.repair.same_edit import find_same_edit
from tutor.judge.reports.cause_texts import LOOK_AT
from tutor.judge.reports.verdict_text import format_headline
from tutor.memory.next_exercise import find_next_exercise
from tutor.memory.project_choice import find_set_aside
from tutor.memory.record import Record

SMALLEST = (40, 10)  # columns, rows
_CLEAR = "\x1b[2J\x1b[1;1H"
_TICK = 100  # milliseconds between two looks at the keyboard
_IN_PLACE = (
    (re.compile(r"the scratch cells \(\{lab\.scratch\}\)"), "Python"),
    (re.compile(r"[Tt]he ladder \(\{lab\.ladder\}\)"), "`tutor xray`"),
)
_KEY_NAMES = re.compile(r" \(\{.*?\)")  # keys of the lab in a piece of advice


def _without_lab(advice: str) -> str:
    """Return a piece of advice with commands in place of the lab's pages and keys."""
    for page, command in _IN_PLACE:
        advice = page.sub(command, advice)
    return _KEY_NAMES.sub("", advice)


@click.command("watch")
@click.argument("slug", shell_complete=slugs)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--plain", is_flag=True, help="Lines one after the other: no keys, nothing is cleared."
)
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto")
@click.option("--no-timing", is_flag=True, help="Judge only whether it is right.")
@click.option(
    "--target",
    callback=parse_target,
    help="Without that GPU, compile kernels for it: sm_90, gfx942, …",
)
@runner_option
@cold_option
def watch_command(
    slug: str,
    file: Path | None,
    plain: bool,
    device: str,
    no_timing: bool,
    target: str,
    runner: Runner | None,
    cold: bool,
) -> None:
    """Judge FILE (default: your own file) now and at each save.

    On a terminal, h shows a hint, l the exercises, s the solution after a right answer, n goes to the
    next exercise, q ends. In a pipe, and with --plain, ctrl+c ends it.
    """
    course = open_course()
    exercise = course.exercise(slug)
    path = file or workspace.start_learner_file(exercise, paths.work_dir())
    read_source(path, exercise)
    keys = is_terminal(sys.stdin) and is_terminal(sys.stdout) and not is_dumb()
    if keys and not plain:
        _refuse_small_terminal()

    with use_record() as record, Judge(paths.course_root(), cold=cold, runner=runner) as judge:

        def verdict_on(exercise: Exercise, path: Path, source: str, early: Early) -> Verdict:
            return submit_and_wait(
                judge,
                Submission(
                    exercise.slug,
                    source,
                    str(path),
                    device,
                    not no_timing,
                    target=target,
                    explain=True,
                ),
                early=early,
            )

        if not keys or plain:
            _in_lines(exercise, path, verdict_on, record, plain)
        else:
            with _single_keys():
                _Watch(course, record, verdict_on, judge.cancel, exercise, path).run()


def _refuse_small_terminal() -> None:
    size = shutil.get_terminal_size()
    if size.columns < SMALLEST[0] or size.lines < SMALLEST[1]:
        raise CannotHere(
            f"this terminal has {size.columns} columns and {size.lines} rows, and watch needs "
            f"{SMALLEST[0]} and {SMALLEST[1]}: enlarge it, or add --plain"
        )


def _is_tall() -> bool:
    """Return True if the picture of the wrong elements fits below the words."""
    return shutil.get_terminal_size().lines >= 40


VerdictOn = Callable[[Exercise, Path, str, Early], Verdict]


def _in_lines(
    exercise: Exercise, path: Path, verdict_on: VerdictOn, record: Record, plain: bool
) -> None:
    for source in _versions(path, exercise):
        click.echo(f"\n{path}")
        early = Early(exercise, source, plain)
        verdict = verdict_on(exercise, path, source, early)
        keep_attempt(record, exercise, verdict, source)
        say(*early.rest(verdict))


def _versions(path: Path, exercise: Exercise) -> Iterator[str]:
    """Yield the file's text now, and again after each change."""
    return (text for text in _looks(path, exercise) if text)


def _looks(path: Path, exercise: Exercise, tick: int = 0) -> Iterator[str]:
    """Yield the file's text now and after each change; with `tick`, also "" after that many ms."""
    from watchfiles import watch

    last = read_source(path, exercise)
    yield last
    # The folder is watched, not the file: many editors save by replacing it.
    for _ in watch(
        path.parent,
        recursive=False,
        raise_interrupt=True,
        rust_timeout=tick or 5000,
        yield_on_timeout=bool(tick),
    ):
        try:
            text = read_source(path, exercise)
        except UsageError as error:  # an editor is in the middle of saving
            click.echo(f"tutor: {error}", err=True)
            continue
        yield text if text != last else ""
        last = text


@contextmanager
def _single_keys() -> Iterator[None]:
    """Have each key at once and without echo; ctrl+c stays what it is.

    After ctrl+z and `fg` too: a shell gives the terminal back as it was for itself.
    """
    before = termios.tcgetattr(sys.stdin)

    def take_keys(*_: object) -> None:
        if os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp():  # not where `bg` goes on
            tty.setcbreak(sys.stdin)

    take_keys()
    shell = signal.signal(signal.SIGCONT, take_keys)
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, shell)
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _read_keys() -> str:
    """Return the keys that were pressed since the last call."""
    ready, _, _ = select.select([sys.stdin], [], [], 0)
    return os.read(sys.stdin.fileno(), 64).decode(errors="replace") if ready else ""


class _EarlyPage(Early):
    """The same on a page that is drawn anew with the whole report."""

    def __init__(self, draw: Callable[..., None], exercise: Exercise, source: str) -> None:
        super().__init__(exercise, source, plain=not _is_tall())
        self._draw = draw

    def say(self, verdict: Verdict) -> None:
        self._draw(*([format_headline(verdict)] if verdict.passed else self.report(verdict)))


@dataclass
class _Watch:
    """The page that is drawn anew at each save and each key."""

    course: Course
    record: Record
    verdict_on: VerdictOn
    stop: Callable[[], None]  # ends a judgement that is under way
    exercise: Exercise
    path: Path
    report: tuple[str, ...] = ()
    verdict: Verdict | None = None
    _ended: bool = False
    _page: tuple[str, ...] = ()
    _first: int = 0  # line of the page that is shown first
    _following: int = 0  # that of the next screenful, 0 at the end

    def run(self) -> None:
        while not self._ended:
            self._watch_one()

    def _watch_one(self) -> None:
        """Watch the present file until another exercise is chosen or the end."""
        exercise, size = self.exercise, shutil.get_terminal_size()
        for source in _looks(self.path, exercise, _TICK):
            if source:
                self._judge(source)
            if self._take_keys(exercise):
                return
            if size != (size := shutil.get_terminal_size()):
                self._draw(*self.report)

    def _take_keys(self, exercise: Exercise) -> bool:
        """Do what the pressed keys say. Return True if `exercise` is no longer watched."""
        for key in _read_keys():
            if not self._is_left(exercise):
                self._do(key)
        return self._is_left(exercise)

    def _is_left(self, exercise: Exercise) -> bool:
        return self._ended or self.exercise is not exercise

    def _judge(self, source: str) -> None:
        """Judge in a thread; keys work meanwhile. Leaving the exercise stops it."""
        exercise = self.exercise
        early = _EarlyPage(self._draw, exercise, source)
        answer = start_in_thread(partial(self.verdict_on, exercise, self.path, source, early))
        try:
            while not answer.done():
                if self._take_keys(exercise):
                    self.stop()
                    break
                time.sleep(_TICK / 1000)
        except KeyboardInterrupt:
            self.stop()
            raise
        verdict = answer.result()
        if self._is_left(exercise):
            return
        self.verdict = verdict
        keep_attempt(self.record, exercise, verdict, source)
        report = report_on(exercise, verdict, source, plain=not _is_tall())
        if verdict.passed and are_open(self.record, exercise):  # not here: this page waits for keys
            report = [*report, say_how_asked(exercise, self.path)]
        self.report = tuple(report)
        self._draw(*self.report)

    def _do(self, key: str) -> None:
        if key == "q":
            self._ended = True
        elif key == "h":
            self._draw(*self._hints())
        elif key == "l":
            self._draw(*self._list())
        elif key == "s":
            self._solution()
        elif key == "n":
            self._next()
        elif key == " ":
            self._turn()
        else:
            self._draw(*self.report)

    # ---- what is drawn

    def _draw(self, *page: str) -> None:
        """Show a page from its first line on."""
        self._page, self._first = page, 0
        self._paint()

    def _turn(self) -> None:
        """Show what did not fit; after the end of the page its beginning."""
        self._first = self._following
        self._paint()

    def _paint(self) -> None:
        """Clear the screen; draw the page, as far as it fits, then progress and keys."""
        page = self._page
        columns, rows = shutil.get_terminal_size()
        foot = [clean_for_terminal(line) for line in self._foot(columns)]
        body = "\n".join(
            clean_for_terminal(escape_controls(line.rstrip("\n"))) for line in page
        ).split("\n")
        body = [row if "\x1b" in row else row[:columns] for row in body]
        room = max(rows - sum(line.count("\n") + 1 for line in foot) - 1, 3)
        body, self._following = body[self._first :], 0
        if len(body) > room:
            self._following = self._first + room - 1
            body = [*body[: room - 1], f"… {len(body) - room + 1} lines more: space shows them"]
        send_control(sys.stdout, _CLEAR)  # also where there are no colours
        click.echo("\n".join([*body, *foot]))

    def _foot(self, columns: int) -> list[str]:
        """Return the progress of the day's exercises, the file and the keys."""
        right, count = self._progress(self.exercise.day)
        room = min(20, columns - 30)
        full = room * right // count
        keys = ["h hint", "l list", *(["s solution"] if self._right else []), "n next", "q quit"]
        done = click.style("█" * full, fg="green") if may_colour() else "█" * full
        return [
            "",
            f"Day {self.exercise.day} {done}{'░' * (room - full)} {right} of {count} right",
            str(self.path),
            " · ".join(keys),
        ]

    def _progress(self, day: int) -> tuple[int, int]:
        """Return how many exercises of a day are right, and how many there are."""
        overview = self.course.overview()
        aside = find_set_aside(overview, self.record)
        of_day = [e.slug for e in overview.exercises if e.day == day and e.slug not in aside]
        return len(self.record.activity.passed_exercises() & set(of_day)), len(of_day)

    @property
    def _right(self) -> bool:
        return self.verdict is not None and self.verdict.passed

    def _hints(self) -> Iterator[str]:
        """Yield advice on the verdict and the hints; one hint more at each call."""
        hints, activity = self.exercise.hints, self.record.activity
        level = min(activity.hints_shown(self.exercise.slug) + 1, len(hints))
        activity.hint_shown(self.exercise.slug, level)
        if self.verdict and self.verdict.repair and self.verdict.repair.kind:
            repair = self.verdict.repair
            yield from (*repair.kind.split("\n"), *filter(None, [repair.says]), "")
            if level > 1:
                yield from self._same_edit(repair)
        elif self.verdict and self.verdict.diagnosis:
            code = self.verdict.diagnosis[0].code
            advice = LOOK_AT.get(code, LOOK_AT["wrong-values"])
            yield from (_without_lab(advice), "")
        for number, hint in enumerate(hints[:level], 1):
            yield from (f"Hint {number} of {len(hints)}: {' '.join(hint.split())}", "")
        yield "h shows the next hint." if level < len(hints) else "These are all the hints."

    def _same_edit(self, repair: Repair) -> Iterator[str]:
        """Yield the same change in an exercise that is solved, if there is one."""
        passed = self.record.activity.passed_exercises() - {self.exercise.slug}
        if same := find_same_edit(repair.change, self.course, passed):
            yield f"The same change in “{same.title}”:"
            yield from (*(f"-{row}" for row in same.wrong), *(f"+{row}" for row in same.right), "")

    def _list(self) -> Iterator[str]:
        """Yield the exercises of this day, and one line for each other day."""
        passed, known = self.record.activity.passed_exercises(), self.course.overview().exercises
        aside = find_set_aside(self.course.overview(), self.record)
        here = self.exercise.day
        for day in (here, *dict.fromkeys(e.day for e in known if e.day != here)):
            right, count = self._progress(day)
            yield f"Day {day}: {right} of {count} right"
            for exercise in known if day == self.exercise.day else ():
                if exercise.day == day:
                    mark = "  (here)" if exercise.slug == self.exercise.slug else ""
                    mark += "  (of another project)" if exercise.slug in aside else ""
                    sign = "✓" if exercise.slug in passed else "·"
                    yield f"  {sign} {exercise.slug}  {exercise.title}{mark}"

    def _solution(self) -> None:
        if self._right:
            click.echo_via_pager(escape_controls(self.exercise.solution.read_text("utf-8")))
            self._draw(*self.report)
        else:
            self._draw("The solution opens once yours is right; h shows a hint.", "", *self.report)

    def _next(self) -> None:
        """Go to the next exercise; before this one is right, to the one after it that is not right."""
        here = self.exercise
        slug = find_next_exercise(self.course, self.record, here.day, {here.slug})
        if slug is None:
            self._draw("Every other exercise is right.", "", *self.report)
            return
        if not self._right:  # it is left out for now: the same two do not take turns
            overview = self.course.overview()
            known = [e.slug for e in overview.exercises]
            at = known.index(here.slug)
            done = self.record.activity.passed_exercises() | find_set_aside(overview, self.record)
            slug = next(s for s in known[at + 1 :] + known[:at] if s not in done)
        self.exercise = self.course.exercise(slug)
        self.path = workspace.start_learner_file(self.exercise, paths.work_dir())
        self.verdict, self.report = None, (f"{self.exercise.title}.",)
        self._draw(*self.report)
