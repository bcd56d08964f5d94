"""The list of texts that were handed in, or written and left: newest first."""

from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static

from tutor.course.model import Exercise
from tutor.judge.model.verdict import Verdict, verdict_from_json
from tutor.judge.reports import timing_text
from tutor.memory.store.rows import Attempt
from tutor.ui.kit.text.phrases import plural, when
from tutor.ui.kit.text.safe_text import bounded
from tutor.ui.lab.pages.page import LabPage
from tutor.ui.lab.pages.versions import Version
from tutor.ui.verdict.verdict_view import Report, headline


class AttemptsPage(LabPage):
    NAME, ACTION = "attempts", "lab.attempts"

    class Open(Message):
        """The learner wants to see version number `index` of those shown."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

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
        """Newest first."""
        self._versions = versions
        listed = self.query_one(OptionList)
        listed.clear_options()
        listed.add_options([version_line(version) for version in versions])
        if not versions:
            listed.add_option(Content.styled("Nothing handed in yet.", "dim"))
        listed.highlighted = 0
        self.query_one(Static).display = bool(versions)
        self.post_message(self.Renamed())

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self._versions):
            self.post_message(self.Open(event.option_index))


def version_line(version: Version) -> Content:
    """The mark, when, the cause in a few words, the time it took and how long the judge needed."""
    attempt = version.attempt
    if attempt is None:
        lines = plural(version.source.rstrip("\n").count("\n") + 1, "line")
        return Content.assemble(
            ("· ", "bold"),
            (f"{when(version.at)}  ", "$foreground 70%"),
            f"not handed in · {lines}",
        )
    mark, style = ("✓", "bold $success") if attempt.passed else ("✗", "bold $error")
    return Content.assemble(
        (f"{mark} ", style),
        (f"{when(attempt.at)}  ", "$foreground 70%"),
        outcome(attempt),
        ("".join(f" · {fact}" for fact in facts(attempt)), "$foreground 70%"),
    )


def verdict_of(attempt: Attempt) -> Verdict | None:
    """The stored verdict; None for one that another version wrote."""
    try:
        return verdict_from_json(attempt.verdict)
    except ValueError:
        return None


def outcome(attempt: Attempt) -> str:
    """The headline of a stored verdict in words, without its mark."""
    verdict = verdict_of(attempt)
    if verdict is None:
        return "right" if attempt.passed else "wrong"
    return headline(Report().after(verdict)).plain[2:]


def facts(attempt: Attempt) -> list[str]:
    """The time of a call, the judge's time, and the device."""
    verdict = verdict_of(attempt)
    found = []
    if verdict and verdict.timing:
        found.append(f"{timing_text.duration(verdict.timing.learner.median_ms)} a call")
    if verdict and verdict.latency_ms:
        found.append(f"judged in {verdict.latency_ms.total / 1000:.2f} s")
    return [*found, bounded(attempt.device, lines=1, columns=40)]
