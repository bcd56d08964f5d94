"""The screen with a project's report: milestones, tables, a plot and what the learner wrote."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.base import atomic_files, paths
from tutor.base.errors import StorageError
from tutor.course.model import Lesson
from tutor.judge.reports.project_report import ProjectReport, project_report
from tutor.judge.reports.project_text import markdown
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys import movement
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.phrases import plural
from tutor.ui.kit.text.safe_text import visible
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.press import Press

_MOST_LINES = 2000


class ReportScreen(TutorScreen):
    DEFAULT_CSS = """
    ReportScreen #ways { height: 2; padding: 1 2 0 2; }
    ReportScreen #ways Press { margin: 0 2 0 0; }
    ReportScreen #report { padding: 1 2; height: 1fr; }
    ReportScreen #text { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings("report")
    AUTO_FOCUS = None

    def __init__(self, lesson: Lesson) -> None:
        super().__init__()
        self._lesson = lesson
        self._lines: list[str] = []

    def compose(self) -> ComposeResult:
        yield Bar()
        with Horizontal(id="ways"):
            yield Press(f"{key_of(self, 'report.milestone')} · the next milestone", "milestone")
            yield Press(f"{key_of(self, 'report.write')} · write a file", "write")
        with VerticalScroll(id="report", can_focus=False):
            yield Static(id="text", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self._show()

    def on_screen_resume(self) -> None:
        self._show()  # a milestone may be right now

    def _show(self) -> None:
        report = project_report(self.tutor.course, self.tutor.record, self._lesson)
        self._lines = list(markdown(report))
        shown = [_line(line) for line in self._lines[:_MOST_LINES]]
        self.query_one("#text", Static).update(Content("\n").join(shown))
        done = sum(step.passed is not None for step in report.steps)
        self.query_one(Bar).show(
            f"Report · Day {report.day}",
            f"{done} of {plural(len(report.steps), 'milestone')} right",
        )
        self._next = _next_exercise(report)

    def action_milestone(self) -> None:
        """Open the first milestone that is not right yet; the last one once all are."""
        self.tutor.open(f"exercise:{self._next}")

    def action_write(self) -> None:
        """Write the report beside the record. It is made anew each time, so an older one is replaced."""
        path = paths.data_dir() / "reports" / f"day-{self._lesson.day:02}.md"
        try:
            atomic_files.write(path, "\n".join(self._lines) + "\n")
        except StorageError as error:
            self.say(str(error), wrong=True)
        else:
            self.say(f"written: {path}")

    def action_copy_report(self) -> None:
        self.copy("\n".join(self._lines) + "\n", "The report")

    def action_line(self, step: int) -> None:
        self.query_one("#report").scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        movement.page(self.query_one("#report", VerticalScroll), step)


def _next_exercise(report: ProjectReport) -> str:
    left = [step.exercise for step in report.steps if step.passed is None]
    return left[0] if left else report.steps[-1].exercise


def _line(line: str) -> Content:
    """Colour a heading, a milestone's mark and a bar; the rest is shown as it is written."""
    text = visible(line)
    if text.startswith("#"):
        return Content.styled(text.lstrip("# "), "bold $primary")
    if text.startswith("```"):
        return Content("")
    if ". [x] " in text[:8]:
        return Content.styled(text.replace("[x]", "✓", 1), "bold")
    if ". [ ] " in text[:8]:
        return Content.styled(text.replace("[ ]", "□", 1), "bold")
    return Content(text)
