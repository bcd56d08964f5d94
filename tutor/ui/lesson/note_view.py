"""The learner's note under a section."""

from textual.content import Content
from textual.widgets import Static

from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.safe_text import limit_text

NOTE = "✎"


class NoteView(Static):
    """Shows nothing where there is no note."""

    DEFAULT_CSS = """
    NoteView {
        height: auto; margin: 0 1 1 1; padding: 0 1;
        border-left: thick $primary; background: $surface;
    }
    """

    def __init__(self, text: str) -> None:
        super().__init__(markup=False)
        self.show_note(text)

    def keys_changed(self) -> None:
        self.show_note(self._text)

    def show_note(self, text: str) -> None:
        self._text = text
        how = f"  {key_of(self, 'lesson.note')} edits"
        head = Content.assemble((f"{NOTE} Your note", "bold $primary"), (how, "$foreground 70%"))
        self.update(Content("\n").join([head, Content(limit_text(text, columns=4_000))]))
        self.display = bool(text)
