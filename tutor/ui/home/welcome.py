"""The introduction: a description of the program, the checks of this machine, three ways to begin.

It waits for nothing before it is drawn: what the course says of itself is filled in once it is read.
"""

import asyncio
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from textual import events, work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static
from textual.worker import get_current_worker

from tutor.base.errors import CannotHere, UsageError
from tutor.course.catalog.overview import DayOverview, Overview
from tutor.doctor.check_row import FAIL, OK, WARN, CheckRow
from tutor.ui.home.home import course_line
from tutor.ui.home.step_button import Step
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar

if TYPE_CHECKING:  # it brings TOML along
    from tutor.course.catalog.placement import Placement

_WHAT = (
    "Pages with code that runs as you read, questions, and exercises. A judge runs what you write and "
    "names the mistake. Nothing leaves this machine, and every answer is saved as you give it."
)
_ROWS = ("Python", "terminal", "keys", "data folder", "g++", "GPU", "interpreter", "compiler")
_MARKS = {OK: ("✓", "$success"), WARN: ("!", "$warning"), FAIL: ("✗", "bold $error")}
_BESIDE_FOUND = 20  # columns of mark, name and margins
_PLACEMENT = "questions by topic; days that you know may be skipped"
_KERNEL = "write a first kernel and have it judged, now"
_READ_SECONDS = 0.05  # after it is there: its first paint is over
_AFTER_PAINT_SECONDS = 0.1


class WelcomeScreen(TutorScreen):
    """The screen shown over home if the record is empty; home's `introduction` opens it at any time."""

    CSS_PATH = "welcome.tcss"
    BINDINGS = bindings("welcome")
    AUTO_FOCUS = "Step"

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, CheckRow] = {}
        self._is_read = asyncio.Event()  # the course, from which these come
        self._first: DayOverview | None = None  # the first day that is written
        self._kernel = ""

    def compose(self) -> ComposeResult:
        yield Bar("tutor", "How would you like to begin?")
        with VerticalScroll(id="welcome", can_focus=False):
            yield Static(f"{course_line(None)} {_WHAT}", id="what", markup=False)
            yield Static(self._machine(), id="machine", markup=False)
            yield Step("welcome.first_day", "Day 1", "")
            yield Step("welcome.placement", "Placement", _PLACEMENT)
            yield Step("welcome.kernel", "Exercise", _KERNEL)
        yield Footer()

    def on_mount(self) -> None:
        self._show(
            CheckRow("keys", OK, "letters and function keys do everything; press F5 to try one")
        )
        self.set_timer(_READ_SECONDS, self._read_course)
        self.set_timer(_AFTER_PAINT_SECONDS, self._look_around)

    # ---- what the files of the course say

    @work(thread=True, exit_on_error=False)
    def _read_course(self) -> None:
        """Read what is shown of the course, then its first lesson, so that it opens at once."""
        worker, course = get_current_worker(), self.tutor.course
        overview: Overview | Exception
        placement: Placement | UsageError | None
        try:
            overview = course.overview()
        except Exception as error:  # whatever it is, a key may wait for the end of this
            overview = error
        try:
            placement = course.placement()
        except UsageError as error:
            placement = error
        if not worker.is_cancelled:
            self.app.call_from_thread(self._show_course, overview, placement)
        if self._first and not worker.is_cancelled:
            with suppress(UsageError):  # a fault is shown when the day is opened
                course.lesson(self._first.day)

    def _show_course(
        self, overview: Overview | Exception, placement: "Placement | UsageError | None"
    ) -> None:
        self._is_read.set()
        if self.is_left:
            return
        if isinstance(overview, Exception):
            self.app._handle_exception(overview)  # the application ends with its sentence
            return
        self.query_one("#what", Static).update(f"{course_line(overview)} {_WHAT}")
        first_day, *others = self.query(Step)
        if first := next((day for day in overview.days if day.written), None):
            self._first = first
            first_day.show(f"Day {first.day}", f"{first.title}, {first.sitting_words(0)}")
        else:
            first_day.remove()
        if isinstance(placement, UsageError):
            self.say(str(placement), wrong=True)
        elif placement:
            self._kernel = placement.first_kernel
            others[-1].show("Exercise", f"{self._kernel}: {_KERNEL}")
        if not self._kernel:
            for step in others:
                step.remove()

    # ---- what this machine can do

    @work(thread=True, exit_on_error=False)
    def _look_around(self) -> None:
        """Run the quick checks, start the judge, which may be needed next, then run the slow checks."""
        from tutor.doctor import quick_checks  # after the first paint: 12 ms

        worker = get_current_worker()

        def show(row: CheckRow) -> None:
            if not worker.is_cancelled:
                self.app.call_from_thread(self._show, row)

        for row in quick_checks.run_quick_checks(*self.app.size):
            show(row)
        with suppress(CannotHere):  # the rows below say what is missing
            self.tutor.judge.wait_warm()
        for row in quick_checks.run_slow_checks(lambda: worker.is_cancelled):
            show(row)

    def _show(self, row: CheckRow) -> None:
        self.found[row.name] = row
        self.query_one("#machine", Static).update(self._machine())

    def _machine(self) -> Content:
        lines = [Content.styled("This machine", "bold")]
        for name in _ROWS:
            row = self.found.get(name)
            mark, style = _MARKS[row.status] if row else ("…", "dim")
            if row and row.found.startswith("none;"):  # well as it is, and nothing is there
                mark, style = "–", "$foreground 70%"
            state = make_visible(row.found) if row else "looking"
            if len(state) > self.app.size.width - _BESIDE_FOUND:
                state = re.sub(r" \([^()]*\)$", "", state)
            lines.append(
                Content.assemble(
                    (f"{mark} ", style),
                    f"{name:<12} ",
                    (state, "$foreground 75%" if row else "dim"),
                )
            )
        if any(row.remedy for row in self.found.values()):
            lines.append(Content.styled("`tutor doctor` says how to fix what is marked.", "dim"))
        return Content("\n").join(lines)

    def on_key(self, event: events.Key) -> None:
        """Show that a key without an action here has arrived."""
        if event.key not in self.active_bindings and not event.key.startswith("ctrl+"):
            event.stop()
            self._show(
                CheckRow(
                    "keys", OK, f"{event.key} arrived; letters and function keys do everything"
                )
            )

    # ---- ways to begin

    async def action_first_day(self) -> None:
        await self._is_read.wait()
        if self._first:
            self.app.pop_screen()
            self.tutor.open(f"lesson:{self._first.day}")

    def action_placement(self) -> None:
        self.app.pop_screen()
        self.tutor.open("placement")

    async def action_kernel(self) -> None:
        await self._is_read.wait()
        if self._kernel:
            self.app.pop_screen()
            self.tutor.open(f"exercise:{self._kernel}")
