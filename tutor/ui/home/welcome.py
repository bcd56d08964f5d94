"""The introduction: a description of the program, the checks of this machine, three ways to begin."""

import re
from contextlib import suppress

from textual import events, work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static
from textual.worker import get_current_worker

from tutor.base.errors import CannotHere, UsageError
from tutor.doctor.check_row import FAIL, OK, WARN, CheckRow
from tutor.ui.home.home import course_line
from tutor.ui.home.step_button import Step
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar

_WHAT = (
    "Pages with code that runs as you read, questions, and kernels you write. A judge runs your kernel "
    "and names the mistake. Nothing leaves this machine, and every answer is saved as you give it."
)
_ROWS = ("Python", "terminal", "keys", "data folder", "g++", "GPU", "interpreter", "compiler")
_MARKS = {OK: ("✓", "$success"), WARN: ("!", "$warning"), FAIL: ("✗", "bold $error")}
_BESIDE_FOUND = 20  # columns of mark, name and margins
_AFTER_PAINT_SECONDS = 0.1


class WelcomeScreen(TutorScreen):
    """The screen shown over home if the record is empty; home's `introduction` opens it at any time."""

    CSS_PATH = "welcome.tcss"
    BINDINGS = bindings("welcome")
    AUTO_FOCUS = "Step"

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, CheckRow] = {}

    def compose(self) -> ComposeResult:
        yield Bar("tutor", "How would you like to begin?")
        with VerticalScroll(id="welcome", can_focus=False):
            yield Static(
                f"{course_line(self.tutor.course.overview())} {_WHAT}", id="what", markup=False
            )
            yield Static(self._machine(), id="machine", markup=False)
            yield from self._ways()
        yield Footer()

    def on_mount(self) -> None:
        self._show(
            CheckRow("keys", OK, "letters and function keys do everything; press F5 to try one")
        )
        self.set_timer(_AFTER_PAINT_SECONDS, self._look_around)

    def _ways(self) -> list[Step]:
        first = next((day for day in self.tutor.course.overview().days if day.written), None)
        ways = []
        if first:
            words = f"{first.title}, {first.minutes} minutes"
            ways.append(Step("welcome.first_day", f"Day {first.day}", words))
        try:
            placement = self.tutor.course.placement()
        except UsageError as error:
            self.say(str(error), wrong=True)
            placement = None
        if placement:
            words = "questions by topic; days that you know may be skipped"
            ways.append(Step("welcome.placement", "Placement", words))
            words = f"{placement.first_kernel}: write it and have it judged, now"
            ways.append(Step("welcome.kernel", "A kernel", words))
        return ways

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

    def action_first_day(self) -> None:
        first = next(day.day for day in self.tutor.course.overview().days if day.written)
        self.app.pop_screen()
        self.tutor.open(f"lesson:{first}")

    def action_placement(self) -> None:
        self.app.pop_screen()
        self.tutor.open("placement")

    def action_kernel(self) -> None:
        if placement := self.tutor.course.placement():
            self.app.pop_screen()
            self.tutor.open(f"exercise:{placement.first_kernel}")
