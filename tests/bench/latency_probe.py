"""Measure in the application the time from a key to its change on the screen.

`python -m tests.bench.latency_probe FILE TURNS KEYS`, started by `tests.bench.application` on a
terminal, writes seconds by name to FILE: `page_turn`, `typing`, `key` and `plain`, each with a list.
The application and its driver are the real ones; keys enter at the point where the reading thread of
the driver delivers them. A frame counts when the driver has it.
"""

import asyncio
import functools
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from textual import events
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import TextArea

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.judge import workspace
from tutor.judge.client import Judge
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.kit.core import gc_tuning

EXERCISE = "vector_add"
_QUIET_SECONDS = 0.3  # without a frame: the screen has settled
_READING_SECONDS = 1.0  # on a page before it is turned; the next one is mounted meanwhile
_LONGEST_SECONDS = 10.0
_KEY_PAUSE_SECONDS = 0.05  # about as fast as people type
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_KERNEL_LINES = 300
_SCROLLBAR_COLUMNS = 2  # its thumb moves when the rest of a page is mounted below the screen


@dataclass(frozen=True)
class Frame:
    at: float  # seconds, `time.perf_counter`, less the time of the measurement itself
    rows: tuple[str, ...]


class Measured(TutorApp):
    """The application with a store for each frame of `region` while `watching`. All private names of
    Textual are in here."""

    watching = False
    region: Callable[[], Region] = staticmethod(lambda: Region(0, 0, 0, 0))

    def watch_region(self, region: Callable[[], Region]) -> None:
        self.frames: list[Frame] = []
        self.region = region
        self.looking = 0.0  # seconds spent in here; they are subtracted
        self.watching = True

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        super()._display(screen, renderable)
        if self.watching and renderable is not None and not self._batch_count:
            now = time.perf_counter()
            self.frames.append(Frame(now - self.looking, self._rows()))
            self.looking += time.perf_counter() - now

    def _rows(self) -> tuple[str, ...]:
        x, y, width, height = self.region()
        strips = self.screen._compositor.render_strips()[y : y + height]
        return tuple(strip.crop(x, x + width).text for strip in strips)

    def press(self, key: str) -> float:
        """Hand a key to the application as its driver does; return the time."""
        assert self._driver is not None
        event = events.Key(key, key if len(key) == 1 else None)
        event.set_sender(self)
        pressed = time.perf_counter()
        self._driver.send_message(event)
        return pressed

    async def settled(self) -> None:
        """Wait until something has been painted, and then nothing for a while."""
        await _until(lambda: bool(self.frames))
        start = time.perf_counter()
        seen = 0
        while seen != len(self.frames) and time.perf_counter() - start < _LONGEST_SECONDS:
            seen = len(self.frames)
            await asyncio.sleep(_QUIET_SECONDS)


async def page_turns(app: Measured, most: int) -> list[float]:
    """Seconds from the key to the first frame with the text that the page shows once at rest."""
    took: list[float] = []
    for day in [day.day for day in app.course.overview().days if day.written]:
        lesson = app.course.lesson(day)
        assert lesson is not None
        app.record.activity.set_position(day, 0)
        app.watch_region(lambda: Region(0, 0, 0, 0))
        app.open(f"lesson:{day}")
        await _until(lambda: bool(app.screen.query("Page")))
        page = app.screen.query_one("Page")
        await app.settled()
        for _ in lesson.sections[1 : most - len(took) + 1]:
            await asyncio.sleep(_READING_SECONDS)
            app.watch_region(functools.partial(_text_of, page))
            pressed = app.press("n")
            await app.settled()
            at_rest = app.frames[-1].rows
            took.append(next(f.at for f in app.frames if f.rows == at_rest) - pressed)
        app.watching = False
        await app.pop_screen()
        if len(took) == most:
            break
    return took


def _text_of(page: Widget) -> Region:
    return page.region.shrink((0, _SCROLLBAR_COLUMNS, 0, 0))


async def keys(app: Measured, count: int) -> tuple[list[float], list[float]]:
    """Seconds from a letter's key to its character on the screen in a kernel file of 300 lines: while
    nothing is judged, and while a submission is."""
    from tutor.ui.editor.code_editor import CodeEditor

    exercise = app.course.exercise(EXERCISE)
    lines = [f"# {_LETTERS[i % 26]}" for i in range(2 + 2 * count // len(_LETTERS))]
    file = workspace.path_for(exercise, paths.ensure(paths.work_dir()))
    solution = exercise.solution.read_text("utf-8")
    text = "\n".join([*lines, solution, ""])
    while text.count("\n") < _KERNEL_LINES:
        text += solution
    file.write_text(text, "utf-8")
    app.watch_region(lambda: Region(0, 0, 0, 0))
    app.open(f"exercise:{EXERCISE}")
    screen = cast("Any", app.screen)  # a `LabScreen`
    await app.settled()
    editor = screen.query_one(CodeEditor)
    app.watch_region(lambda: editor.region)
    editor.focus()
    written = 0

    async def one() -> float:
        nonlocal written
        row, column = divmod(written, len(_LETTERS))
        if column == 0:
            editor.move_cursor((row, len(lines[row])))
            await asyncio.sleep(_KEY_PAUSE_SECONDS)  # the move is drawn; the letter comes after it
        lines[row] += _LETTERS[(row + column + 1) % 26]
        written += 1
        took = await _one_key(app, lines[row])
        await asyncio.sleep(_KEY_PAUSE_SECONDS)
        return took

    alone = [await one() for _ in range(count)]
    judged: list[float] = []
    while len(judged) < count:
        app.press("f5")
        await _until(lambda: screen.judgement.running)
        await asyncio.sleep(_KEY_PAUSE_SECONDS)
        while screen.judgement.running and len(judged) < count:
            judged.append(await one())
        await _until(lambda: not screen.judgement.running)
    return alone, judged


async def plain(app: Measured, count: int) -> list[float]:
    """The same in the text area of Textual on a screen with nothing else, as the lower bound."""
    screen: Screen[None] = Screen()
    app.watch_region(lambda: Region(0, 0, 0, 0))
    await app.push_screen(screen)
    area = TextArea()
    await screen.mount(area)
    area.focus()
    await app.settled()
    app.watch_region(lambda: area.region)
    typed, took = "", []
    for number in range(count):
        typed += _LETTERS[number % len(_LETTERS)]
        took.append(await _one_key(app, typed))
        await asyncio.sleep(_KEY_PAUSE_SECONDS)
    app.watching = False
    await app.pop_screen()
    return took


async def _one_key(app: Measured, line: str) -> float:
    """Press the last letter of `line`; return the seconds until a frame has the whole line."""
    app.watch_region(app.region)
    pressed = app.press(line[-1])

    def shown() -> list[float]:
        return [f.at for f in app.frames if any(line in row for row in f.rows)]

    await _until(lambda: bool(shown()))
    return shown()[0] - pressed


async def _until(true: Callable[[], bool]) -> None:
    deadline = time.perf_counter() + _LONGEST_SECONDS
    while not true():
        if time.perf_counter() > deadline:
            raise RuntimeError(f"nothing came of a key within {_LONGEST_SECONDS:g} s")
        await asyncio.sleep(0.005)


def main(results: Path, turns: int, key_count: int) -> None:
    course = open_course()
    record = open_record(paths.record_file())
    judge = Judge(course.root, niceness=15)
    gc_tuning.start_tuning()
    app = Measured(course, record, judge)
    found: dict[str, list[float]] = {}

    async def drive(_: Pilot[object]) -> None:
        await asyncio.to_thread(judge.wait_warm)  # a learner reads home meanwhile
        found["plain"] = await plain(app, key_count)
        found["page_turn"] = await page_turns(app, turns)
        found["typing"], found["key"] = await keys(app, key_count)
        app.exit()

    try:
        app.run(auto_pilot=drive)
    finally:
        judge.close()
        record.close()
    if app.return_code or "key" not in found:
        sys.exit(app.return_code or 1)
    results.write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
