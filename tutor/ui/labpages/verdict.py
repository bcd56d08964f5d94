"""What the judge said of the newest submission, and what can be done about it."""

from collections.abc import Mapping

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.course.model import Exercise
from tutor.ui.keynames import key_name, keymap_of
from tutor.ui.labpages.page import LabPage
from tutor.ui.widgets.verdict import Report, VerdictView


class VerdictPage(LabPage):
    NAME, ACTION = "verdict", "lab.verdict"
    DEFAULT_CSS = """
    VerdictPage #next { dock: bottom; height: auto; padding: 0 1; background: $surface; }
    """

    def compose(self) -> ComposeResult:
        yield Static(id="next")
        with VerticalScroll():
            yield VerdictView()

    def __init__(self, exercise: Exercise) -> None:
        super().__init__(exercise)
        self._next = Content("")
        self._report = Report()

    def on_mount(self) -> None:
        self._draw_foot()

    def report_changed(self, report: Report, *, detail: bool) -> None:
        self._report = report
        self.query_one(VerdictView).show(report, detail=detail)
        self._draw_foot()

    def show_next(self, text: Content) -> None:
        """Where to go on from a right answer."""
        self._next = text
        self._draw_foot()

    def _draw_foot(self) -> None:
        verdict = self._report.verdict
        foot = self._next if verdict and verdict.passed else ways_on(self._report, keymap_of(self))
        foot_line = self.query_one("#next", Static)
        foot_line.update(foot)
        foot_line.display = bool(foot)


def ways_on(report: Report, keymap: Mapping[str, str]) -> Content:
    """What can be done now about a verdict that is not there yet, or is not a pass."""
    if report.trouble or not report.source:
        return Content("")
    if report.verdict is None:
        ways = [("lab.stop", "stops")]
    else:
        line = next(iter(report.lines), None)
        ways = [("lab.line", f"to line {line}")] if line else []
        ways += [("lab.hint", "what to look at")]
        if any(cause.detail.strip() for cause in report.diagnosis):
            ways += [("lab.detail", "original text")]
    return Content("  ").join(
        Content.assemble(
            (key_name(action_id, keymap), "bold $primary"), (f" {does}", "$foreground 70%")
        )
        for action_id, does in ways
    )
