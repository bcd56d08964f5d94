"""The learner's note on a card or on a section of a lesson."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.widgets import TextArea

from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of

LONGEST = 4_000  # characters


class NoteScreen(Modal[None]):
    """A field for the note. It calls `keep` with the new text ("" removes the note) unless the learner
    cancels, also when the application ends and the text has changed.
    """

    DEFAULT_CSS = """
    NoteScreen TextArea { height: 8; background: $panel; }
    """
    BINDINGS = bindings("note")
    AUTO_FOCUS = "TextArea"

    def __init__(
        self,
        text: str,
        title: str = "Your note to this card",
        keep: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self._text, self._title, self._keep = text, title, keep

    def compose(self) -> ComposeResult:
        keep, leave = key_of(self, "note.keep"), key_of(self, "note.leave")
        with dialog(self._title, f"{keep} keeps it · {leave} leaves it as it was"):
            yield TextArea(self._text, soft_wrap=True, tab_behavior="focus", compact=True)

    @property
    def _written(self) -> str:
        return self.query_one(TextArea).text.strip()[:LONGEST]

    def action_keep(self) -> None:
        text = self._written
        self.dismiss(None)
        self._keep(text)

    def put_away(self) -> None:
        """Keep the text before the application ends: the learner has not cancelled."""
        if self._written != self._text.strip():
            self._keep(self._written)

    def action_leave(self) -> None:
        self.dismiss(None)
