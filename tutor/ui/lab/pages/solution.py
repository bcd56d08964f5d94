"""The pages of the worked solution and of its difference from the editor's text."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll

from tutor.ui.editor.code_editor import CodeEditor
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text import highlight
from tutor.ui.kit.text.diff import difference
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.code_text import CodeText
from tutor.ui.lab.pages.page import LabPage


class SolutionPage(LabPage):
    """Shows the worked solution once the learner's own is right."""

    NAME, ACTION = "solution", "lab.solution"
    offered = False
    text = ""  # the solution, once it is offered

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield CodeText()

    @property
    def refusal(self) -> str:
        hint = key_of(self, "lab.hint")
        return f"The worked solution opens once yours is right. {hint} has hints until then."

    def show(self) -> None:
        """Offer the page from now on, unless the file cannot be read."""
        if self.offered:
            return
        try:
            self.text = self.exercise.solution.read_text(encoding="utf-8")
        except OSError:
            return
        self.offered = True
        self.draw()
        self.post_message(self.Renamed())

    def draw(self) -> None:
        shown = highlight.colour_code(limit_text(self.text, lines=1000).rstrip("\n"))
        self.query_one(CodeText).update(shown)


class DifferencePage(SolutionPage):
    """What the solution has (+) and the editor's text has not (-), drawn when the page is opened."""

    NAME, ACTION = "compare", "lab.compare"

    def draw(self) -> None:
        """Leave the page empty until it is opened."""

    def fill_page(self) -> None:
        yours = self.screen.query_one("#edit CodeEditor", CodeEditor).text
        shown = difference(yours, self.text, "yours", "the worked solution")
        self.query_one(CodeText).update(shown)
