"""An application with nothing but what a quiz or a lab needs: the real course, record and judge."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from tutor import ui
from tutor.base import paths
from tutor.base.config import Config
from tutor.course.catalog.course import Course, open_course
from tutor.judge.client import Judge
from tutor.memory.record import Record, open_record
from tutor.quiz.option_order import labelled
from tutor.ui.kit.core import theme
from tutor.ui.kit.keys import movement
from tutor.ui.question.question_view import QuestionView
from tutor.ui.routes import open_target

WIDE, SMALL, TINY = (120, 40), (80, 24), (8, 3)


class Host(App[None]):
    CSS_PATH = Path(ui.__file__).with_name("app.tcss")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012

    def __init__(self, course: Course, record: Record, judge: Judge) -> None:
        super().__init__()
        self.course, self.record, self.judge = course, record, judge
        self.register_theme(theme.DARK)
        self.register_theme(theme.LIGHT)
        self.theme = theme.DARK.name
        self.config = Config()
        self.keymap: dict[str, str] = {}

    def open(self, target: str, *details: Any, replace: bool = False) -> None:
        open_target(self, target, *details, replace=replace)

    def action_move(self, step: int) -> None:
        movement.line(self.screen, step)


def label_of(app: App[None], key: str) -> str:
    """The label under which the question on the screen shows an option of the author's."""
    return str(labelled(app.screen.query_one(QuestionView).question, key))


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    """One server for all tests: it starts on the first submission."""
    with Judge(open_course().root) as running:
        yield running


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: Judge) -> Iterator[Host]:
    """What it writes goes to a folder of the test's own."""
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    record = open_record(paths.record_file())
    yield Host(open_course(), record, judge)
    record.close()


async def show(pilot: Pilot[None], screen: Screen[None]) -> None:
    await pilot.app.push_screen(screen)
    await pilot.pause()


async def until(pilot: Pilot[None], done: Callable[[], object], seconds: float = 60) -> None:
    """Wait until `done()` holds; fail after `seconds`."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, f"still not so after {seconds} s"
        await pilot.pause(0.02)
    await pilot.pause()


def seen(app: App[None]) -> str:
    """What is on the screen, as text."""
    strips = app.screen._compositor.render_strips(app.size)
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)
