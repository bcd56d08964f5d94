"""The list of submitted and abandoned texts, newest first."""

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList, Static

from tutor.base.number_text import plural
from tutor.course.model import Exercise
from tutor.judge.reports import timing_text
from tutor.judge.reports.report import Report
from tutor.memory.store.rows import Attempt
from tutor.ui.kit.text.phrases import format_moment
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.lab.pages.page import LabPage
from tutor.ui.lab.pages.versions import Version, verdict_of
from tutor.ui.verdict.verdict_view import headline


class AttemptsPage(LabPage):
    """Lists versions of the learner's text; Enter compares one with the text of now."""

    NAME, ACTION = "attempts", "lab.attempts"

    def __init__(self, exercise: Exercise) -> None:
        super().__init__(exercise)
        self._versions: tuple[Version, ...] = ()

    def compose(self) -> ComposeResult:
        yield Static("Enter shows what has changed since", markup=False)
        yield OptionList(markup=False)

    @property
    def title(self) -> str:
        return f"attempts {sum(version.attempt is not None for version in self._versions)}"

    def show(self, versions: tuple[Version, ...]) -> None:
        """Take the versions, newest first. They are listed when the page is shown."""
        self._versions = versions
        if self.display:
            self.fill_page()
        self.post_message(self.Renamed())

    def fill_page(self) -> None:
        versions = self._versions
        listed = self.query_one(OptionList)
        listed.clear_options()
        listed.add_options([version_line(version) for version in versions])
        if not versions:
            listed.add_option(Content.styled("No attempt yet.", "dim"))
        listed.highlighted = 0
        self.query_one(Static).display = bool(versions)


def version_line(version: Version) -> Content:
    """A mark, the date, the cause in a few words, and the time of a call."""
    attempt = version.attempt
    if attempt is None:
        lines = plural(version.source.rstrip("\n").count("\n") + 1, "line")
        return Content.assemble(
            ("· ", "bold"),
            (f"{format_moment(version.at)}  ", "$foreground 70%"),
            f"draft · {lines}",
        )
    mark, style = ("✓", "bold $success") if attempt.passed else ("✗", "bold $error")
    return Content.assemble(
        (f"{mark} ", style),
        (f"{format_moment(attempt.at)}  ", "$foreground 70%"),
        outcome(attempt),
        ("".join(f" · {fact}" for fact in call_time(attempt)), "$foreground 70%"),
    )


def outcome(attempt: Attempt) -> str:
    """The headline of a stored verdict, without its mark."""
    verdict = verdict_of(attempt)
    if verdict is None:
        return "right" if attempt.passed else "wrong"
    return headline(Report().after(verdict)).plain[2:]


def call_time(attempt: Attempt) -> list[str]:
    """The time of a call, if it was measured."""
    verdict = verdict_of(attempt)
    if verdict is None or verdict.timing is None:
        return []
    return [f"{timing_text.format_time(verdict.timing.learner.median_ms)} a call"]


def judging_words(attempt: Attempt) -> list[str]:
    """The judge's time, and the device."""
    verdict = verdict_of(attempt)
    words = []
    if verdict and verdict.latency_ms:
        words.append(f"judged in {verdict.latency_ms.total / 1000:.2f} s")
    return [*words, limit_text(attempt.device, lines=1, columns=40)]
