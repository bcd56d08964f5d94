"""An application with nothing but what a quiz or a lab needs: the real course, record and judge."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from tutor import ui
from tutor.base.config import Config
from tutor.course.catalog.course import Course
from tutor.judge.client import Judge
from tutor.memory.record import Record
from tutor.quiz.option_order import to_labels
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
        movement.move_line(self.screen, step)


def label_of(app: App[None], key: str) -> str:
    """The label under which the question on the screen shows an option of the author's."""
    return str(to_labels(app.screen.query_one(QuestionView).question, key))


async def show(pilot: Pilot[None], screen: Screen[None]) -> None:
    await pilot.app.push_screen(screen)
    await pilot.pause()


async def until(pilot: Pilot[None], done: Callable[[], object], seconds: float = 60) -> None:
    """Wait until `done()` holds; fail after `seconds`.

    The longer it lasts, the more seldom it is asked: drawing the screen takes processor time from
    the process that is waited for.
    """
    began = time.monotonic()
    while not done():
        waited = time.monotonic() - began
        assert waited < seconds, f"still not so after {seconds} s; the screen:\n{seen(pilot.app)}"
        await pilot.pause(min(max(0.02, waited / 4), 0.2))
    await pilot.pause()


def seen(app: App[None]) -> str:
    """What is on the screen, as text."""
    strips = app.screen._compositor.render_strips(app.size)
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)
