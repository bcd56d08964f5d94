"""The learner's own note to a card, or to a section of a lesson."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import TextArea

from tutor.ui.keys import bindings

LONGEST = 4_000  # characters


class NoteScreen(ModalScreen[str | None]):
    """Dismissed with the new text ("" takes the note away), or None where nothing is to change."""

    DEFAULT_CSS = """
    NoteScreen TextArea { height: 8; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings("note")
    AUTO_FOCUS = "TextArea"

    def __init__(self, text: str, title: str = "Your note to this card") -> None:
        super().__init__()
        self._text, self._title = text, title

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = self._title
            dialog.border_subtitle = "F2 keeps it · esc leaves it as it was"
            yield TextArea(self._text, soft_wrap=True, tab_behavior="focus", compact=True)

    def action_keep(self) -> None:
        self.dismiss(self.query_one(TextArea).text.strip()[:LONGEST])

    def action_leave(self) -> None:
        self.dismiss(None)
