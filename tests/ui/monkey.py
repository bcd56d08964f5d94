"""A monkey at the real application: random keys, mouse events, resizes and pastes on every screen.

    python tests/ui/monkey.py --events 20000 --seed 1 [--judge] [--home FOLDER]

It plays in sessions over one record, as a learner does who leaves and comes back. All along: no
exception, every event is dealt with in time, and what was typed in an editor, a note or a reflection
is on disk once its screen is gone. After each session the record must be whole. Without `--judge` the
judge cannot start, as on a machine whose torch is broken; with it, submissions and cells really run.
The same seed draws the same events, as long as what the screens answer to takes the same time.
"""

import argparse
import asyncio
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from textual import events
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import TextArea

from tutor import paths
from tutor.course import Course, open_course
from tutor.errors import CannotHere
from tutor.judge.client import Judge
from tutor.memory import open_record
from tutor.memory.studyday import study_day
from tutor.ui.app import TutorApp
from tutor.ui.keys import ACTIONS
from tutor.ui.screens.lab_file import FileScreen
from tutor.ui.screens.reflection import LONGEST, ReflectionScreen

SLOWEST = 60.0  # seconds in which a burst of events has to be dealt with
_SESSION = 700  # events, at most, between two starts of the application
_BURST = 4
_LAST = 50

SIZES = [(80, 24), (120, 40), (8, 3), (40, 10), (39, 9), (200, 60), (60, 8), (20, 50), (100, 20)]
PASTES = [
    "[/bold] [red]x[/] [@click=app.quit]no[/]", "a\x00b\x01\x1b[31mred\x1b[0m", "x" * 100_000,
    "\n".join(f"line {i}" for i in range(2_000)), "🙂👩‍👩‍👧‍👦e\u0301\u200b\ufeff", "שלום עולם\u202eabc",
    "tabs\tand\r\nwindows\rlines\n", "\u2028\u2029\x0b\x0c\x85", "def f(x):\n    return x + 1\n", "",
    "\\[a] $x^2$ `code` **bold**", "1e999", "-0x7f_ff", "0.1 0.2", "((((" * 200, "\ud7ff\uffff",
]  # fmt: skip
LETTERS = "abcxyzABZ0189 ()[]{}:;,./\\'\"`~!@#$%^&*-_=+<>?|éß漢字🙂ש"
NAMED = [
    "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "enter", "escape", "tab",
    "shift+tab", "space", "backspace", "delete", "insert", *(f"f{i}" for i in range(1, 13)),
    *(f"shift+f{i}" for i in range(1, 11)), *(f"ctrl+{c}" for c in "abcdefghijklmnoprstuvwxyz"),
    "ctrl+left", "ctrl+right", "ctrl+up", "ctrl+down", "ctrl+home", "ctrl+end", "shift+up",
    "shift+down", "shift+left", "shift+right", "alt+a", "ctrl+q",
]  # fmt: skip
BOUND = sorted({key for place in ACTIONS.values() for a in place for key in a.keys.split(",")})


class NoJudge(Judge):
    """A judge whose server never starts."""

    def _start(self) -> None:
        raise CannotHere("the judge did not start: torch cannot be imported")


@dataclass
class Typed:
    """A text that must be on disk once its screen is gone. `kept` gives what is there."""

    screen: Screen[Any]
    area: TextArea
    kept: Callable[[], str]
    text: str = ""


@dataclass
class Report:
    events: int = 0
    sessions: int = 0
    texts: int = 0
    slowest: float = 0.0
    screens: Counter[str] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        yield (
            f"{self.events} events in {self.sessions} sessions; {self.texts} texts found on disk; "
            f"slowest burst {self.slowest:.2f} s"
        )
        yield ", ".join(f"{name} {count}" for name, count in self.screens.most_common())


class Monkey:
    """`course` is what is opened, `events` how many are drawn from `seed`."""

    def __init__(self, course: Course, seed: int, count: int, judge: bool = False) -> None:
        self.course, self.count, self.with_judge = course, count, judge
        self.draw = random.Random(seed)
        self.log: deque[str] = deque(maxlen=_LAST)
        self.report = Report()
        self.typed: dict[int, Typed] = {}

    async def play(self) -> Report:
        """Until all events are done. An `AssertionError` of its own tells what was lost."""
        while self.report.events < self.count:
            await self._session()
        return self.report

    async def _session(self) -> None:
        record = open_record(paths.record_file())
        assert not record.notice, record.notice
        judge = (Judge if self.with_judge else NoJudge)(self.course.root)
        app = TutorApp(self.course, record, judge)
        self.report.sessions += 1
        self.log.append("--- start")
        until = min(self.count, self.report.events + _SESSION)
        self.typed = {}
        try:
            async with app.run_test(size=self.draw.choice(SIZES[:2]), notifications=True) as pilot:
                self.size = app.size
                await pilot.pause()
                while app.is_running and not app._exit and self.report.events < until:
                    await self._burst(app)
                if not app._exit:
                    await app.action_quit()
        finally:
            judge.close()
            record.close()
        assert app.failure is None, app.failure
        with closing(open_record(paths.record_file())) as again:
            assert not again.notice, again.notice
            for each in self.typed.values():
                self._check(each)
            again.due(again.today())
        with closing(sqlite3.connect(paths.record_file())) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)

    # ---- what is done

    async def _burst(self, app: TutorApp) -> None:
        driver = app._driver
        assert driver is not None
        for _ in range(self.draw.randint(1, _BURST)):
            self.report.events += 1
            self.report.screens[type(app.screen).__name__] += 1
            for event in self._event(app):
                driver.process_message(event)
        started = time.monotonic()
        signal.alarm(2 * int(SLOWEST))  # for a loop that lets nobody else have a turn
        await self._dealt_with(app)
        signal.alarm(0)
        self.report.slowest = max(self.report.slowest, time.monotonic() - started)
        if app._exception is None and not app._exit:
            self._look_for_texts(app)

    async def _dealt_with(self, app: TutorApp) -> None:
        """Until the application and the screen in front have emptied their queues."""
        for node in (app, *app.screen_stack[-1:], app):
            done = asyncio.Event()
            if node._closing or app._exit or not node.call_later(done.set):
                break
            deadline = time.monotonic() + SLOWEST
            while not done.is_set() and not node._closing and not app._exit:
                assert time.monotonic() < deadline, f"no answer for {SLOWEST:g} s"
                await asyncio.sleep(0.002)
        await asyncio.sleep(0.002)
        if app._exception is not None:
            raise app._exception

    def _event(self, app: TutorApp) -> Iterator[events.Event]:
        chance = self.draw.random()
        if chance < 0.72:
            yield self._key(app)
        elif chance < 0.86:
            yield from self._mouse()
        elif chance < 0.91:
            text = self.draw.choice(PASTES)
            self.log.append(f"paste {len(text)} {text[:40]!r}")
            yield events.Paste(text)
        elif chance < 0.94:
            width, height = self.draw.choice(SIZES)
            if self.draw.random() < 0.5:
                width, height = self.draw.randint(8, 200), self.draw.randint(3, 60)
            self.log.append(f"resize {width}×{height}")
            self.size = Size(width, height)
            assert app._driver is not None
            app._driver._size = (width, height)
            yield events.Resize(self.size, self.size)
        else:
            self._open(app)

    def _key(self, app: TutorApp) -> events.Key:
        chance = self.draw.random()
        if chance < 0.4 and (here := sorted(app.screen.active_bindings)):
            key = self.draw.choice(here)
        elif chance < 0.55:
            key = self.draw.choice(BOUND)
        elif chance < 0.75:
            key = self.draw.choice(NAMED)
        else:
            key = self.draw.choice(LETTERS)
        if key in ("q", "ctrl+q") and self.draw.random() < 0.8:
            key = "escape"  # it would leave too often
        self.log.append(f"key {key}  on {type(app.screen).__name__}")
        character = _CHARACTERS.get(key, key if len(key) == 1 else None)
        return events.Key(_NAMES.get(key, key), character)

    def _mouse(self) -> Iterator[events.Event]:
        x, y = self._place()
        kind = self.draw.choice(["click", "click", "drag", "scroll", "move"])
        self.log.append(f"{kind} {x},{y}")
        button = self.draw.choice([1, 1, 1, 2, 3])
        held = [self.draw.random() < 0.1 for _ in range(3)]

        def made(of: type[events.MouseEvent], x: int, y: int, button: int) -> events.MouseEvent:
            return of(None, x, y, 0, 0, button, *held, screen_x=x, screen_y=y, style=None)

        if kind == "scroll":
            of = self.draw.choice([events.MouseScrollDown, events.MouseScrollUp])
            for _ in range(self.draw.randint(1, 5)):
                yield made(of, x, y, 0)
            return
        yield made(events.MouseMove, x, y, 0)
        if kind == "move":
            return
        yield made(events.MouseDown, x, y, button)
        if kind == "drag":
            x, y = self._place()
            yield made(events.MouseMove, x, y, button)
        yield made(events.MouseUp, x, y, button)

    def _place(self) -> tuple[int, int]:
        return self.draw.randrange(self.size.width), self.draw.randrange(self.size.height)

    def _open(self, app: TutorApp) -> None:
        """A screen as its own way opens it, over whatever is shown."""
        if len(app.screen_stack) > 12 or app.screen.is_modal:
            return
        name = self.draw.choice(sorted(WAYS))
        self.log.append(f"open {name}")
        WAYS[name](app, self.draw)

    # ---- nothing is lost

    def _look_for_texts(self, app: TutorApp) -> None:
        """Note each text that is being written; check those whose screen is gone."""
        shown = set(map(id, app.screen_stack))
        for screen in app.screen_stack:
            if not screen._is_mounted or not screen.is_attached:
                continue
            if isinstance(screen, FileScreen) and hasattr(screen, "work"):
                area, path = screen.editor, screen.work.path
                found = Typed(screen, area, partial(path.read_text, "utf-8"))
            elif isinstance(screen, ReflectionScreen):
                found = Typed(screen, screen.area, self._written(screen))
            else:
                continue
            self.typed[id(screen)] = found
            found.text = found.area.text
        for key in [key for key in self.typed if key not in shown]:
            self._check(self.typed.pop(key))

    def _written(self, screen: ReflectionScreen) -> Callable[[], str]:
        day, prompt = screen.day, screen.prompt.id

        def kept() -> str:
            with closing(open_record(paths.record_file())) as record:
                today = record.today()
                rows = [row for row in record.reflections(day) if row.prompt == prompt]
                return next((row.text for row in rows if study_day(row.at) == today), "")

        return kept

    def _check(self, typed: Typed) -> None:
        wanted = typed.area.text
        if isinstance(typed.screen, ReflectionScreen):
            wanted = typed.text[:LONGEST]
        elif getattr(typed.screen, "_trouble", ""):
            return
        self.report.texts += 1
        kept = typed.kept()
        place = type(typed.screen).__name__
        assert kept == wanted, f"lost in {place}: {wanted[-300:]!r} is not {kept[-300:]!r}"


_NAMES = {
    "?": "question_mark", "/": "slash", ":": "colon", ";": "semicolon", ",": "comma", " ": "space",
    "[": "left_square_bracket", "]": "right_square_bracket", "<": "less_than_sign",
    ">": "greater_than_sign",
}  # fmt: skip
_CHARACTERS = {name: character for character, name in _NAMES.items()}


# --- the ways to each screen ------------------------------------------------------------------------


def _lesson(app: TutorApp, draw: random.Random) -> None:
    app.open_lesson(draw.choice([day.day for day in app.course.days]))


def _lab(app: TutorApp, draw: random.Random) -> None:
    app.open_lab(draw.choice(sorted(app.course.exercises())))


def _quiz(app: TutorApp, draw: random.Random) -> None:
    from tutor.ui.screens.quizzes import quiz_screen

    days = [day.day for day in app.course.days if app.course.quiz(day.day)]
    quiz = app.course.quiz(draw.choice(days))
    assert quiz is not None
    app.push_screen(quiz_screen(quiz))


def _checkpoint_part(app: TutorApp, draw: random.Random) -> None:
    from tutor.ui.screens.checklist import ChecklistScreen
    from tutor.ui.screens.misconceptions import MisconceptionsScreen

    found = [quiz for day in app.course.days if (quiz := app.course.quiz(day.day))]
    quiz = draw.choice([quiz for quiz in found if quiz.is_checkpoint])
    assert quiz.reflection is not None
    parts = [
        lambda: ChecklistScreen(quiz),
        lambda: MisconceptionsScreen(quiz),
        lambda: ReflectionScreen(quiz.day, quiz.reflection),
        lambda: ReflectionScreen(quiz.day, quiz.reflection),
    ]
    app.push_screen(draw.choice(parts)())


def _ladder(app: TutorApp, draw: random.Random) -> None:
    from tutor.ui.screens.ladder import LadderScreen
    from tutor.ui.subject import Subject

    exercise = app.course.exercise(draw.choice(sorted(app.course.exercises())))
    source = exercise.solution.read_text("utf-8")
    app.push_screen(LadderScreen(Subject("a.py", source, exercise.entry_name), exercise.slug))


def _access(app: TutorApp, draw: random.Random) -> None:
    from tutor.ui.screens.access import AccessScreen

    slugs = [slug for slug in app.course.exercises() if app.course.exercise(slug).kind == "kernel"]
    exercise = app.course.exercise(draw.choice(sorted(slugs)))
    source = exercise.solution.read_text("utf-8")
    app.push_screen(AccessScreen(exercise.slug, source, "a.py"))


def _review_lab(app: TutorApp, draw: random.Random) -> None:
    from tutor.ui.screens.review_lab import ReviewLab

    app.push_screen(ReviewLab(draw.choice(sorted(app.course.exercises())), ""))


def _ideas(app: TutorApp, draw: random.Random) -> None:
    from tutor.ui.screens.concept_map import open_map

    open_map(app, draw.choice([1, 1, 2]))


def _pushed(module: str, name: str) -> Callable[[TutorApp, random.Random], None]:
    def push(app: TutorApp, draw: random.Random) -> None:
        from importlib import import_module

        app.push_screen(getattr(import_module(f"tutor.ui.screens.{module}"), name)())

    return push


def _bookmarks(app: TutorApp, draw: random.Random) -> None:
    from tutor.ui.screens.bookmarks import open_bookmarks

    open_bookmarks(app)


WAYS: dict[str, Callable[[TutorApp, random.Random], None]] = {
    "lesson": _lesson,
    "lab": _lab,
    "quiz": _quiz,
    "checkpoint": _checkpoint_part,
    "ladder": _ladder,
    "access": _access,
    "review lab": _review_lab,
    "ideas": _ideas,
    "bookmarks": _bookmarks,
    "introduction": lambda app, draw: app.open_introduction(),
    "placement": lambda app, draw: app.open_placement(),
    "map": _pushed("map", "MapScreen"),
    "review": _pushed("review", "ReviewScreen"),
    "search": _pushed("search", "SearchScreen"),
    "settings": _pushed("settings", "SettingsScreen"),
    "keys": _pushed("rebind", "RebindScreen"),
    "statistics": _pushed("statistics", "StatisticsScreen"),
    "written": _pushed("written", "WrittenScreen"),
}


ENVIRONMENT = {  # other programs are not started, and nothing moves by itself
    "EDITOR": "true", "VISUAL": "true", "BROWSER": "true", "TEXTUAL_ANIMATIONS": "none",
}  # fmt: skip


def _stalled(*_: object) -> None:
    raise TimeoutError("the event loop does not come round")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--events", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--judge", action="store_true")
    arguments.add_argument("--home", type=Path)
    asked = arguments.parse_args()
    signal.signal(signal.SIGALRM, _stalled)
    with tempfile.TemporaryDirectory(prefix="monkey-", ignore_cleanup_errors=True) as folder:
        os.environ |= {**ENVIRONMENT, "TUTOR_HOME": str(asked.home or folder)}
        monkey = Monkey(open_course(), asked.seed, asked.events, asked.judge)
        try:
            asyncio.run(monkey.play())
        except BaseException:
            print("\n".join(monkey.log), file=sys.stderr)
            print(f"seed {asked.seed}, event {monkey.report.events}", file=sys.stderr)
            raise
        finally:
            print("\n".join(monkey.report.lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
