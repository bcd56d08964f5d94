"""A monkey at the real application: random keys, mouse events, resizes and pastes on every screen.

    python tests/ui/monkey.py --events 20000 --seed 1 [--judge] [--home FOLDER]

It plays in sessions of a study day each over one record, as a learner does who leaves and comes back,
and goes to screens that have had few events (`monkey_ways.py`). All along: no exception, every event is
dealt with in time, and nothing covers the header or the footer. What was typed in an editor, a note or
a reflection, and what another program wrote to a file that is open, is on disk once its screen is gone.
After each session the record must be whole. At the end every screen has had its share.

Without `--judge` the judge cannot start, as on a machine whose torch is broken, but has one X-ray and
one access map; with it, submissions, cells and X-rays really run. The same seed draws the same events,
as long as what the screens answer to takes the same time.
"""

import argparse
import asyncio
import faulthandler
import gc
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
from datetime import datetime, timedelta
from functools import partial
from itertools import combinations
from operator import lt
from pathlib import Path
from typing import Any
from unittest import mock

from monkey_ways import WAYS, RecordedJudge, Step, Written, copied_course, key_of
from monkey_ways import NoJudge as NoJudge  # for other tests
from textual import events
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import TextArea

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge
from tutor.memory.record import open_record
from tutor.memory.store.log import storable
from tutor.memory.store.study_day import study_day
from tutor.ui.app import SMALLEST, TutorApp
from tutor.ui.home.home import HomeScreen
from tutor.ui.home.welcome import WelcomeScreen
from tutor.ui.kit.core import gc_tuning
from tutor.ui.kit.dialogs.note import LONGEST as LONGEST_NOTE
from tutor.ui.kit.dialogs.note import NoteScreen
from tutor.ui.kit.dialogs.small_window import SmallScreen
from tutor.ui.kit.keys.actions import ACTIONS
from tutor.ui.lab.screen import LabScreen
from tutor.ui.quiz.reflection import LONGEST, ReflectionScreen

SLOWEST = 60.0  # seconds with a processor in which a burst of events has to be dealt with
_SESSION = 700  # events, at most, between two starts of the application
_BURST = 12  # keys and clicks, at most, that do not wait for each other
_LAST = 50
_TELL = 1_000  # events between two lines about memory
_VISIT = 0.12  # how often a burst is a way to a screen instead
_FEWEST = 6  # of the screens with the fewest events one is drawn
_SHARE = 200  # each screen has at least one event of so many, once they were _ENOUGH
_ENOUGH = 10_000

SIZES = [(80, 24), (120, 40), (8, 3), (40, 10), (39, 9), (200, 60), (60, 8), (20, 50), (100, 20)]
PASTES = [
    "[/bold] [red]x[/] [@click=app.quit]no[/]",
    "a\x00b\x01\x1b[31mred\x1b[0m",
    "x" * 100_000,
    "\n".join(f"line {i}" for i in range(2_000)),
    "🙂👩‍👩‍👧‍👦e\u0301\u200b\ufeff",
    "שלום עולם\u202eabc",
    "tabs\tand\r\nwindows\rlines\n",
    "\u2028\u2029\x0b\x0c\x85",
    "def f(x):\n    return x + 1\n",
    "",
    "\\[a] $x^2$ `code` **bold**",
    "1e999",
    "-0x7f_ff",
    "0.1 0.2",
    "((((" * 200,
    "\ud7ff\uffff",
]
BREAKS = ["\n", "\r", "\r\n"]  # as terminals send them in a paste
LONGEST_PASTE = 20_000  # characters of a paste of lines
EDITS = ["ctrl+z", "ctrl+y", "ctrl+z", "ctrl+shift+z", "ctrl+x", "ctrl+v"]
TURNS = ["pageup", "pagedown", "b", "space", "p", "n", "ctrl+home", "ctrl+end"]
LETTERS = "abcxyzABZ0189 ()[]{}:;,./\\'\"`~!@#$%^&*-_=+<>?|éß漢字🙂ש"
NAMED = [
    "up",
    "down",
    "left",
    "right",
    "home",
    "end",
    "pageup",
    "pagedown",
    "enter",
    "escape",
    "tab",
    "shift+tab",
    "space",
    "backspace",
    "delete",
    "insert",
    *(f"f{i}" for i in range(1, 13)),
    *(f"shift+f{i}" for i in range(1, 11)),
    *(f"ctrl+{c}" for c in "abcdefghijklmnoprstuvwxyz"),
    "ctrl+left",
    "ctrl+right",
    "ctrl+up",
    "ctrl+down",
    "ctrl+home",
    "ctrl+end",
    "shift+up",
    "shift+down",
    "shift+left",
    "shift+right",
    "alt+a",
    "ctrl+q",
]
BOUND = sorted({key for place in ACTIONS.values() for a in place for key in a.keys.split(",")})


@dataclass
class Typed:
    """A text that must be on disk once its screen is gone. `kept` gives what is there."""

    screen: Screen[Any]
    area: TextArea
    kept: Callable[[], str]
    text: str = ""


@dataclass
class Report:
    """`screens`: how many events were sent while a screen was in front, by the name of its class."""

    events: int = 0
    sessions: int = 0
    texts: int = 0
    slowest: float = 0.0
    screens: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(WAYS, 0)))
    pages: Counter[str] = field(default_factory=Counter)  # of the lab

    def sent(self, screen: Screen[Any]) -> None:
        self.events += 1
        self.screens[type(screen).__name__] += 1
        if isinstance(screen, LabScreen) and screen.is_mounted:
            self.pages[screen.pane.page] += 1

    def wanted(self, draw: random.Random) -> str:
        """A screen that has had few events."""
        ranked = [name for name, _ in self.screens.most_common() if name in WAYS]
        return draw.choice(ranked[-_FEWEST:])

    def lines(self) -> Iterator[str]:
        yield (
            f"{self.events} events in {self.sessions} sessions; {self.texts} texts found on disk; "
            f"slowest burst {self.slowest:.2f} s"
        )
        for name, count in self.screens.most_common():
            yield f"{count:6}  {name}"
        pages = ", ".join(f"{name} {count}" for name, count in self.pages.most_common())
        yield f"pages of the lab: {pages}"


class Monkey:
    """`root` is a course of its own (`copied_course`), `count` how many events are drawn from `seed`."""

    def __init__(self, root: Path, seed: int, count: int, judge: bool = False) -> None:
        self.root, self.count, self.with_judge = root, count, judge
        self.draw = random.Random(seed)
        self.log: deque[str] = deque(maxlen=_LAST)
        self.report = Report()
        self.typed: dict[tuple[int, str], Typed] = {}
        self.written: list[Written] = []  # by another program
        self.notes: list[str] = []
        self.began = time.monotonic()
        self.first = datetime.now().astimezone().replace(hour=12) - timedelta(days=400)

    async def play(self) -> Report:
        """Until all events are done. An `AssertionError` of its own tells what was lost."""
        keep = NoteScreen.action_keep

        def kept(screen: NoteScreen) -> None:
            self.notes.append(screen.query_one(TextArea).text.strip()[:LONGEST_NOTE])
            keep(screen)

        with mock.patch.object(NoteScreen, "action_keep", kept):
            while self.report.events < self.count:
                await self._session()
        if self.report.events >= _ENOUGH:
            least = self.report.events // _SHARE
            few = {name for name, count in self.report.screens.items() if count < least}
            assert not few & set(WAYS), f"fewer than {least} events: {few}"
        return self.report

    async def _session(self) -> None:
        day = self.first + timedelta(days=self.report.sessions)
        os.environ["TUTOR_NOW"] = day.isoformat()
        record = open_record(paths.record_file())
        assert not record.notice, record.notice
        judge = (Judge if self.with_judge else RecordedJudge)(self.root)
        app = TutorApp(open_course(self.root), record, judge)
        self.report.sessions += 1
        self.log.append("--- start")
        until = min(self.count, self.report.events + _SESSION)
        self.typed, self.written, self.notes = {}, [], []
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
        if app.failure is not None:
            raise app.failure
        with closing(open_record(paths.record_file())) as again:
            assert not again.notice, again.notice
            for each in self.typed.values():
                self._check(each)
            for theirs in self.written:
                self._check_written(theirs)
            self._check_notes()
            again.reviews.due(again.today())
        with closing(sqlite3.connect(paths.record_file())) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)

    # ---- what is done

    async def _burst(self, app: TutorApp) -> None:
        before = self.report.events
        if self.draw.random() < _VISIT:
            await self._visit(app)
        else:
            # What is written in a reflection is looked at after every event.
            one = any(isinstance(screen, ReflectionScreen) for screen in app.screen_stack)
            for _ in range(self.draw.randint(1, 1 if one else _BURST)):
                self.report.sent(app.screen)
                for event in self._event(app):
                    self._send(app, event)
            await self._dealt_with(app)
        if self.report.events // _TELL > before // _TELL:
            self._tell()

    async def _visit(self, app: TutorApp) -> None:
        """Go to a screen, over whatever is shown unless that has to be closed first."""
        name = self.report.wanted(self.draw)
        self.log.append(f"go to {name}")
        for _ in range(20):
            if app._exit or not (app.screen.is_modal or len(app.screen_stack) > 8):
                break
            small = isinstance(app.screen, SmallScreen)  # which escape would end
            await self._step(app, _resized(*SIZES[0]) if small else "escape")
        if app._exit or app.screen.is_modal:
            return
        for step in WAYS[name](app, self.draw):
            await self._step(app, step)
            if app._exit:
                return

    async def _step(self, app: TutorApp, step: Step) -> None:
        self.report.sent(app.screen)
        if isinstance(step, str):
            key = key_of(app, step) if "." in step else step
            self.log.append(f"key {key} ({step})  on {type(app.screen).__name__}")
            self._send(app, _key(key))
        elif isinstance(step, events.Event):
            self.log.append(f"{type(step).__name__}  on {type(app.screen).__name__}")
            self._send(app, step)
        elif isinstance(step, Written):
            self.log.append(f"another program writes {step.path.name}")
            step.path.write_text(step.text, "utf-8")
            self.written = [each for each in self.written if each.path != step.path] + [step]
        else:
            await asyncio.sleep(step)
        await self._dealt_with(app)

    def _send(self, app: TutorApp, event: events.Event) -> None:
        driver = app._driver
        assert driver is not None
        if isinstance(event, events.Resize):
            self.size = event.size
            driver._size = event.size
        driver.process_message(event)

    def _tell(self) -> None:
        gc.collect()
        with open("/proc/self/statm", encoding="ascii") as file:
            mebibytes = int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") >> 20
        screens = sum(isinstance(each, Screen) for each in gc.get_objects())
        print(
            f"{self.report.events} events, {self.report.sessions} sessions, "
            f"{time.monotonic() - self.began:.0f} s, {mebibytes} MiB, {screens} screens in memory",
            flush=True,
        )

    async def _dealt_with(self, app: TutorApp) -> None:
        """Until the application and the screen in front have emptied their queues."""
        started = _now()
        signal.alarm(20 * int(SLOWEST))  # for a loop that lets nobody else have a turn

        async def until(done: Callable[[], bool]) -> None:
            while not done() and not app._exit:
                if app._exception is not None:
                    raise app._exception
                if _now() > started + SLOWEST:
                    _dump_all()
                    waits = f"{app._held} after {app._under_way} on {app.screen_stack[-1:]}"
                    raise AssertionError(f"no answer for {SLOWEST:g} s: {waits}")
                await asyncio.sleep(0.002)

        await until(lambda: not app._held and app._under_way is None)
        for node in (app, *app.screen_stack[-1:], app):
            answer = asyncio.Event()
            if node._closing or app._exit or not node.call_later(answer.set):
                break
            await until(lambda node=node, answer=answer: answer.is_set() or node._closing)
        await asyncio.sleep(0.002)
        signal.alarm(0)
        self.report.slowest = max(self.report.slowest, _now() - started)
        if app._exception is not None:
            raise app._exception
        if not app._exit:
            self._look_for_texts(app)
            look_for_overlap(app)

    def _event(self, app: TutorApp) -> Iterator[events.Event]:
        chance = self.draw.random()
        if chance < 0.75:
            yield self._any_key(app)
        elif chance < 0.89:
            yield from self._mouse()
        elif chance < 0.95:
            text = self.draw.choice(PASTES) if self.draw.random() < 0.4 else self._lines()
            self.log.append(f"paste {len(text)} {text[:40]!r}")
            yield events.Paste(text)
        else:
            width, height = self.draw.choice(SIZES)
            if self.draw.random() < 0.5:
                width, height = self.draw.randint(8, 200), self.draw.randint(3, 60)
            self.log.append(f"resize {width}×{height}")
            yield _resized(width, height)

    def _any_key(self, app: TutorApp) -> events.Key:
        chance = self.draw.random()
        if chance < 0.4 and (here := sorted(app.screen.active_bindings)):
            key = self.draw.choice(here)
        elif chance < 0.52:
            key = self.draw.choice(BOUND)
        elif chance < 0.60:
            key = self.draw.choice(EDITS if self.draw.random() < 0.6 else TURNS)
        elif chance < 0.75:
            key = self.draw.choice(NAMED)
        else:
            key = self.draw.choice(LETTERS)
        if key in ("q", "ctrl+q", "escape") and self._leaves(app, key) and self.draw.random() < 0.9:
            key = "space"  # it would leave too often
        self.log.append(f"key {key}  on {type(app.screen).__name__}")
        return _key(key)

    @staticmethod
    def _leaves(app: TutorApp, key: str) -> bool:
        """Whether this key may end the application, rather than close a page."""
        ends = (HomeScreen, WelcomeScreen, SmallScreen)
        return key == "ctrl+q" or isinstance(app.screen, ends if key == "q" else SmallScreen)

    def _lines(self) -> str:
        """Lines of code of 1 to `LONGEST_PASTE` characters in all, with one kind of line break."""
        length = round(LONGEST_PASTE ** self.draw.random())
        line = self.draw.choice(["x = 1", "    y = tl.load(p, mask=m)  # é", "", "if x:"])
        lines = f"{line}{self.draw.choice(BREAKS)}"
        return (lines * (length // len(lines) + 1))[:length]

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
        for _ in range(self.draw.randint(1, 4) if kind == "drag" else 0):
            x, y = self._place()
            yield made(events.MouseMove, x, y, button)
        yield made(events.MouseUp, x, y, button)

    def _place(self) -> tuple[int, int]:
        return self.draw.randrange(self.size.width), self.draw.randrange(self.size.height)

    # ---- nothing is lost

    def _look_for_texts(self, app: TutorApp) -> None:
        """Note each text that is being written; check those whose screen is gone."""
        found: dict[tuple[int, str], Typed] = {}
        for screen in app.screen_stack:
            if not screen._is_mounted or not screen.is_attached:
                continue
            if isinstance(screen, LabScreen) and screen.document._opened:
                kept = partial(screen.document.work.path.read_text, "utf-8")
                found[id(screen), "file"] = Typed(screen, screen.document.editor, kept)
            if isinstance(screen, ReflectionScreen):
                kept = self._reflected(screen)
                found[id(screen), screen.prompt.id] = Typed(screen, screen.area, kept)
            if isinstance(screen, LabScreen) and screen.scratch.file is not None:
                file = screen.scratch.file.path
                if not screen.scratch.trouble and file.exists():
                    kept = partial(file.read_text, "utf-8")
                    found[id(screen), "scratch"] = Typed(screen, screen.scratch.editor, kept)
        for each in found.values():
            each.text = each.area.text
        for key in [key for key in self.typed if key not in found]:
            self._check(self.typed.pop(key))
        self.typed |= found

    def _reflected(self, screen: ReflectionScreen) -> Callable[[], str]:
        day, prompt = screen.day, screen.prompt.id

        def kept() -> str:
            with closing(open_record(paths.record_file())) as record:
                today = record.today()
                rows = [row for row in record.checkpoints.reflections(day) if row.prompt == prompt]
                return next((row.text for row in rows if study_day(row.at) == today), "")

        return kept

    def _check(self, typed: Typed) -> None:
        wanted = typed.area.text
        if isinstance(typed.screen, ReflectionScreen):
            wanted = typed.text[:LONGEST]  # the area may hold another prompt's by now
        elif getattr(typed.screen, "_trouble", ""):
            return
        self.report.texts += 1
        kept = typed.kept()
        if kept != wanted and (
            not wanted or self._in_record(wanted) or wanted == _starter_of(typed.screen)
        ):
            # Two screens, or another program, had the text: the record has both, but for a starter
            # in which nothing was typed on this one.
            return
        place = type(typed.screen).__name__
        same = zip(wanted, kept, strict=False)
        at = next((i for i, (a, b) in enumerate(same) if a != b), min(len(wanted), len(kept)))
        at = max(0, at - 40)
        there, here = wanted[at : at + 300], kept[at : at + 300]
        assert kept == wanted, f"lost in {place}: {there!r} is not {here!r}"

    def _check_written(self, theirs: Written) -> None:
        kept = theirs.path.read_text("utf-8") == theirs.text or self._in_record(theirs.text)
        assert kept, f"lost of another program's: {theirs.text!r} in {theirs.path.name}"

    def _in_record(self, text: str) -> bool:
        with closing(sqlite3.connect(paths.record_file())) as db:
            found = db.execute(
                "SELECT 1 FROM texts WHERE body = ? UNION SELECT 1 FROM reflections WHERE text = ?",
                (storable(text),) * 2,
            )
            return found.fetchone() is not None

    def _check_notes(self) -> None:
        """Each text that was kept as a note, since the application started, stands in the log."""
        with closing(sqlite3.connect(paths.record_file())) as db:
            rows = db.execute(
                "SELECT text FROM reflections UNION "
                "SELECT value FROM card_events WHERE action = 'note'"
            )
            every = {text for (text,) in rows}
        lost = [text for text in self.notes if storable(text) not in every]
        assert not lost, f"lost notes: {lost!r}"


def look_for_overlap(app: TutorApp) -> None:
    """Fail if something is painted over the header or the footer of the page in front.

    Messages cover the header on purpose. A page whose layout is not done yet is not looked at.
    """
    screen = app.screen
    if screen.is_modal or isinstance(screen, SmallScreen) or screen._layout_required:
        return
    if screen._compositor.size != app.size or any(map(lt, app.size, SMALLEST)):
        return  # the sentence on the size comes next
    bars = [bar for bar in screen.query("Bar, Footer") if bar.display and bar.region.area]
    for bar in bars:
        region = bar.region.intersection(screen.region)
        for x in range(region.x, region.right, max(1, region.width // 8)):
            for y in {region.y, region.bottom - 1}:
                above, _ = screen.get_widget_at(x, y)
                around = {*above.ancestors_with_self}
                if screen not in around:
                    return  # it has been removed, and the page is about to be laid out
                covers = f"{above} covers {bar} of {screen} at {x},{y} in {app.size}"
                assert bar in around or around & {*screen.query("ToastRack, Tooltip")}, covers
    for one, other in combinations(bars, 2):
        assert not one.region.overlaps(other.region), f"{one} and {other} of {screen} overlap"


def _resized(width: int, height: int) -> events.Resize:
    return events.Resize(Size(width, height), Size(width, height))


def _starter_of(screen: Screen[Any]) -> str | None:
    return screen.exercise.starter.read_text("utf-8") if isinstance(screen, LabScreen) else None


def _key(key: str) -> events.Key:
    character = _CHARACTERS.get(key, key if len(key) == 1 else None)
    return events.Key(_NAMES.get(key, key), character)


_NAMES = {
    "?": "question_mark",
    "/": "slash",
    ":": "colon",
    ";": "semicolon",
    ",": "comma",
    " ": "space",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    "<": "less_than_sign",
    ">": "greater_than_sign",
}
_CHARACTERS = {name: character for character, name in _NAMES.items()}


ENVIRONMENT = {  # other programs are not started, and nothing moves by itself
    "EDITOR": "true",
    "VISUAL": "true",
    "BROWSER": "true",
    "TEXTUAL_ANIMATIONS": "none",
}


def _now() -> float:
    """Return seconds that do not go on while other programs have the processors."""
    with open("/proc/self/schedstat", encoding="ascii") as file:
        waited = int(file.read().split()[1])  # nanoseconds, in the queue for a processor
    return time.monotonic() - waited / 1e9


def _dump_all() -> None:
    """Say where each thread and each task stands."""
    faulthandler.dump_traceback(file=sys.__stderr__, all_threads=True)  # a test takes stderr
    for task in asyncio.all_tasks():
        task.print_stack(limit=12)


def _stalled(*_: object) -> None:
    faulthandler.dump_traceback(file=sys.__stderr__, all_threads=True)  # a test takes stderr
    raise TimeoutError("the event loop does not come round")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--events", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--judge", action="store_true")
    arguments.add_argument("--home", type=Path)
    asked = arguments.parse_args()
    signal.signal(signal.SIGALRM, _stalled)
    gc_tuning.start_tuning()
    with tempfile.TemporaryDirectory(prefix="monkey-", ignore_cleanup_errors=True) as folder:
        os.environ |= {**ENVIRONMENT, "TUTOR_HOME": str(asked.home or folder)}
        root = copied_course(Path(folder) / "course")
        monkey = Monkey(root, asked.seed, asked.events, asked.judge)
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
