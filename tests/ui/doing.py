"""An application with nothing but what a quiz or a lab needs: the real course, record and judge."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from tutor import paths
from tutor.course import Course, open_course
from tutor.judge.client import Judge
from tutor.memory import Record, open_record
from tutor.ui import theme

WIDE, SMALL = (120, 40), (80, 24)


class Host(App[None]):
    CSS_PATH = Path(theme.__file__).with_name("app.tcss")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012

    def __init__(self, course: Course, record: Record, judge: Judge) -> None:
        super().__init__()
        self.course, self.record, self.judge = course, record, judge
        self.register_theme(theme.DARK)
        self.register_theme(theme.LIGHT)
        self.theme = theme.DARK.name


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    """Everything it writes goes to a folder of the test's own."""
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    course = open_course()
    record = open_record(paths.record_file())
    judge = Judge(course.root)
    yield Host(course, record, judge)
    judge.close()
    record.close()


async def show(pilot: Pilot[None], screen: Screen[None]) -> None:
    await pilot.app.push_screen(screen)
    await pilot.pause()


def seen(app: App[None]) -> str:
    """What is on the screen, as text."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(s.text for s in strip).rstrip() for strip in strips[:height])
