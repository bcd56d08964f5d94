"""The screen with a project's report: milestones, tables, a plot and what the learner wrote."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content

from tutor.base import atomic_files, paths
from tutor.base.errors import StorageError
from tutor.base.number_text import plural
from tutor.course.catalog.day_exercises import projects_of
from tutor.course.model import Lesson
from tutor.judge.reports.project_report import ProjectReport, project_report
from tutor.judge.reports.project_text import write_markdown
from tutor.memory.next_exercise import find_next_exercise
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.dialogs.projects import choose_project
from tutor.ui.kit.keys import movement
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.inline_markdown import style_code, style_inline
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.text.wrapped_lines import wrap_prose
from tutor.ui.kit.widgets.code_text import CodeText
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.press import Press

_MOST_LINES = 2000
_RULE = str.maketrans("|-:", "┼──")  # of a table


class ReportScreen(TutorScreen):
    """Shows the report that `tutor report` prints, and can write it to a file."""

    DEFAULT_CSS = """
    ReportScreen #ways { height: 2; padding: 1 2 0 2; }
    ReportScreen #ways Press { margin: 0 2 0 0; }
    ReportScreen #report { padding: 1 2; height: 1fr; }
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
            yield Press("", "milestone")
            yield Press(f"{key_of(self, 'report.write')} · write a file", "write")
            if self.check_action("project", ()):
                yield Press(f"{key_of(self, 'report.project')} · project", "project")
        with VerticalScroll(id="report", can_focus=False):
            yield CodeText(id="text", breaks=wrap_prose)
        yield Footer()

    def on_mount(self) -> None:
        self._show()

    def on_screen_resume(self) -> None:
        self._show()  # a milestone may be right now

    def _show(self) -> None:
        report = project_report(self.tutor.course, self.tutor.record, self._lesson)
        self._lines = list(write_markdown(report))
        read = [line for line in self._lines[:_MOST_LINES] if not line.startswith("```")]
        self.query_one("#text", CodeText).update(Content("\n").join(map(_line, read)))
        done = sum(step.passed is not None for step in report.steps)
        self.query_one(Bar).show(
            f"Report · Day {report.day}",
            f"{done} of {plural(len(report.steps), 'milestone')} right",
        )
        self._next = self._next_milestone(report)
        words = "the last milestone again" if done == len(report.steps) else "the next milestone"
        self.query(Press).first().say(f"{key_of(self, 'report.milestone')} · {words}")

    def _next_milestone(self, report: ProjectReport) -> str:
        left = [step.exercise for step in report.steps if step.passed is None]
        following = find_next_exercise(self.tutor.course, self.tutor.record, report.day)
        if following in left:
            return following
        return left[0] if left else report.steps[-1].exercise

    def action_milestone(self) -> None:
        """Open the next milestone that is not right yet; the last one once all are."""
        self.tutor.open(f"exercise:{self._next}/{self._lesson.day}")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "project":
            return len(projects_of(self.tutor.course.overview(), self._lesson.day)) > 1
        return super().check_action(action, parameters)

    def action_project(self) -> None:
        """Choose among the day's projects."""
        choose_project(self, self._lesson.day, self._show)

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
        movement.scroll_page(self.query_one("#report", VerticalScroll), step)


def _line(line: str) -> Content:
    """Draw a line of the report: what Markdown writes with signs is a colour or a line here."""
    text = make_visible(line)
    if text.startswith("#"):
        return Content.styled(text.lstrip("# "), "bold $primary")
    if text.startswith("|-"):
        return Content(text.translate(_RULE))
    if text.startswith("|"):
        return style_code(text.replace("|", "│"))
    if text.startswith(">"):  # the learner's words stay as they are
        return Content("│" + text[1:])
    if text.startswith("**"):
        return style_inline(text)
    for mark, sign in ((". [x] ", ". ✓ "), (". [ ] ", ". □ ")):
        if mark in text[:8]:
            return style_code(text.replace(mark, sign, 1)).stylize("bold")
    return style_code(text)
