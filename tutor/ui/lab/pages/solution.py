"""The page of the worked solution, and of its difference from the editor's text."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from tutor.ui.editor.code_editor import CodeEditor
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.keys.key_text import Named
from tutor.ui.kit.text import highlight
from tutor.ui.kit.text.diff import difference
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.code_text import CodeText
from tutor.ui.kit.widgets.press import runs
from tutor.ui.lab.pages.hints import HintsPage
from tutor.ui.lab.pages.page import LabPage


class SolutionPage(LabPage):
    """Shows the worked solution once the learner's own is right. Its key switches to what the solution
    has (+) and the editor's text has not (-), and back."""

    NAME, ACTION = "solution", "lab.solution"
    DEFAULT_CSS = """
    SolutionPage Named { height: auto; padding: 0 1; }
    """
    offered = False
    compared = False
    text = ""  # the solution, once it is offered

    def compose(self) -> ComposeResult:
        yield Named(self._switch_words)
        with VerticalScroll():
            yield CodeText()

    def _switch_words(self) -> Content:
        other = "shows it whole" if self.compared else "compares it with your file"
        words = Content.assemble((key_of(self, self.ACTION), "bold $primary"), f" {other}")
        return runs(words.stylize_before("$foreground 70%"), self.ACTION)

    @property
    def refusal(self) -> str:
        opens = "The worked solution opens once yours is right."
        if self.screen.query_one(HintsPage).more_to_come:
            return f"{opens} {key_of(self, 'lab.hint')} has hints until then."
        return f"{opens} All hints are shown; {key_of(self, 'lab.hint')} goes back to them."

    def show(self) -> None:
        """Offer the page from now on, unless the file cannot be read."""
        if self.offered:
            return
        try:
            self.text = self.exercise.solution.read_text(encoding="utf-8")
        except OSError:
            return
        self.offered = True
        self.post_message(self.Renamed())

    def switch(self) -> None:
        """Show the difference in place of the solution, or the other way round."""
        self.compared = not self.compared
        self.fill_page()

    def fill_page(self) -> None:
        if self.compared:
            yours = self.screen.query_one("#edit CodeEditor", CodeEditor).text
            shown = difference(yours, self.text, "yours", "the worked solution")
        else:
            shown = highlight.colour_code(limit_text(self.text, lines=1000).rstrip("\n"))
        self.query_one(CodeText).update(shown)
        self.query_one(Named).keys_changed()

    def keys_changed(self) -> None:
        super().keys_changed()
        self.query_one(Named).keys_changed()
