"""The page of the newest verdict, with the keys for the next steps."""

from collections.abc import Callable
from functools import partial

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.base.number_text import plural
from tutor.course.model import Exercise
from tutor.judge.reports.report import Report
from tutor.judge.reports.verdict_document import detail_title
from tutor.ui.kit.keys.key_labels import key_now
from tutor.ui.kit.widgets.press import runs
from tutor.ui.lab.pages.page import LabPage
from tutor.ui.verdict.verdict_view import VerdictView

Way = tuple[str, str]  # an action's id, and a text on it
SOLUTION: Way = ("lab.solution", "a worked solution")
EVERY_CASE: Way = ("lab.detail", "every case")


def says_way(left: int) -> Way:
    """The way to so many questions about a right program."""
    return ("lab.says", f"say what yours does: {plural(left, 'question')}")


class VerdictPage(LabPage):
    """Shows the verdict while it comes in, and below a right one the ways on."""

    NAME, ACTION = "verdict", "lab.verdict"
    DEFAULT_CSS = """
    /* A bar that comes and goes with the cases costs a layout each time, and a letter waits for it. */
    VerdictPage > VerticalScroll { overflow-y: scroll; }
    VerdictPage #none { height: auto; color: $foreground 70%; }
    VerdictPage #next { dock: bottom; height: auto; padding: 0 1; background: $surface; }
    """

    def compose(self) -> ComposeResult:
        foot = Static(id="next")
        foot.display = False
        yield foot
        with VerticalScroll():
            yield Static(id="none")
            yield VerdictView()

    def __init__(self, exercise: Exercise) -> None:
        super().__init__(exercise)
        self._ways: list[Way] = []
        self._said = ""
        self._report = Report()
        self._foot = Content()

    def on_mount(self) -> None:
        self._draw_none()

    def report_changed(self, report: Report, *, detail: bool) -> None:
        self._report = report
        self._draw_none()
        self.query_one(VerdictView).show(report, detail=detail)
        self._draw_foot()

    def show_next(self, ways: list[Way], said: str = "") -> None:
        """Offer ways to go on from the answer, below what is `said` of it, from the next report on."""
        self._ways, self._said = ways, said

    def keyboard_moved(self) -> None:
        self._draw_none()
        self._draw_foot()

    def _draw_none(self) -> None:
        """Say, until there is a report, how to get one and where the earlier ones are."""
        none = self.query_one("#none", Static)
        none.display = not (self._report.source or self._report.trouble)
        if none.display:
            check, earlier = key_now(self, "lab.check"), key_now(self, "lab.attempts")
            none.update(
                f"Nothing is judged since this page was opened. {check} checks your file; {earlier} "
                "shows earlier attempts."
            )

    def on_resize(self) -> None:
        self._draw_foot()

    def _draw_foot(self) -> None:
        verdict = self._report.verdict
        ways = self._ways if verdict and verdict.passed else ways_on(self._report)
        if verdict and not verdict.passed:
            ways = self._ways + ways
        if ways and verdict:
            ran = bool(verdict.cases)  # the footer has the key of the ladder
            ways = ways + (ways_to_look(self.exercise) if ran else [])
        foot = ways_in_words(ways, partial(key_now, self), self.size.width - 2)
        if self._said and verdict:
            foot = Content.assemble((self._said, "bold $success"), "\n", foot)
        lines = self._foot.plain.count("\n")
        if verdict is None and foot:  # it keeps its height until the verdict
            foot = Content.assemble(foot, "\n" * (lines - foot.plain.count("\n")))
        if (foot.plain, foot.spans) == (self._foot.plain, self._foot.spans):
            return
        self._foot = foot
        foot_line = self.query_one("#next", Static)
        # A letter that is typed now waits for a layout.
        foot_line.update(foot, layout=foot.plain.count("\n") != lines or not foot_line.display)
        foot_line.display = bool(foot)


def ways_to_look(exercise: Exercise) -> list[Way]:
    """The way to the access map."""
    return [("lab.access", "access map")] if exercise.kind == "kernel" else []


def ways_on(report: Report) -> list[Way]:
    """The ways to go on from a missing verdict or from a wrong answer."""
    if report.trouble or not report.source:
        return []
    if report.verdict is None:
        return [("lab.stop", "stops")]
    line = next(iter(report.lines), None)
    ways = [("lab.line", f"to line {line}")] if line else []  # the footer has the key of the hints
    if detailed := next((cause for cause in report.diagnosis if cause.detail.strip()), None):
        ways += [("lab.detail", detail_title(detailed).lower())]
    return ways


def ways_in_words(ways: list[Way], key: Callable[[str], str], width: int) -> Content:
    """The ways in as many lines as they need; a click goes one. No line ends between key and words."""
    lines: list[Content] = []
    for action_id, does in ways:
        words = Content.assemble((key(action_id), "bold $primary"), (f" {does}", "$foreground 70%"))
        way = runs(words, action_id)
        if lines and lines[-1].cell_length + 2 + way.cell_length <= width:
            lines[-1] = Content.assemble(lines[-1], "  ", way)
        else:
            lines.append(way)
    return Content("\n").join(lines)
