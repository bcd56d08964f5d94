"""The page of the worked solution, offered after a right answer."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text import highlight
from tutor.ui.kit.text.safe_text import bounded
from tutor.ui.lab.pages.page import LabPage


class SolutionPage(LabPage):
    NAME, ACTION = "solution", "lab.solution"
    DEFAULT_CSS = """
    SolutionPage Static { width: auto; }
    """
    offered = False

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static()

    @property
    def refusal(self) -> str:
        hint = key_of(self, "lab.hint")
        return f"The worked solution opens once yours is right. {hint} has hints until then."

    def show(self) -> None:
        """Offer the page from now on, unless the file cannot be read."""
        if self.offered:
            return
        try:
            text = self.exercise.solution.read_text(encoding="utf-8")
        except OSError:
            return
        self.offered = True
        shown = highlight.code(bounded(text, lines=1000).rstrip("\n"))
        self.query_one(Static).update(shown)
        self.post_message(self.Renamed())
