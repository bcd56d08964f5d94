"""The learner's note on a card or on a section of a lesson."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import HorizontalGroup

from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.widgets.press import Press
from tutor.ui.kit.widgets.text_box import TextBox

LONGEST = 4_000  # characters


class NoteScreen(Modal[None]):
    """A field for the note. It calls `keep` with the new text ("" removes the note) unless the learner
    cancels, also when the application ends and the text has changed.
    """

    DEFAULT_CSS = """
    NoteScreen TextBox { height: 8; background: $panel; }
    NoteScreen Press { margin: 0 2 0 0; }
    """
    BINDINGS = bindings("note")
    AUTO_FOCUS = "TextBox"

    def __init__(
        self,
        text: str,
        title: str = "Your note to this card",
        keep: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self._text, self._title, self._keep = text, title, keep
        self._warned = False  # that the next cancel discards the text

    def compose(self) -> ComposeResult:
        keep, leave = key_of(self, "note.keep"), key_of(self, "note.leave")
        with dialog(self._title, f"{keep}: save · {leave}: cancel"):
            yield TextBox(self._text)
            yield HorizontalGroup(Press("Save", "keep"), Press("Cancel", "leave"))

    @property
    def _written(self) -> str:
        return self.query_one(TextBox).text.strip()[:LONGEST]

    def action_keep(self) -> None:
        text = self._written
        self.dismiss(None)
        self._keep(text)

    @property
    def _is_changed(self) -> bool:
        return self._written != self._text.strip()

    def put_away(self) -> None:
        """Keep the text before the application ends: the learner has not cancelled."""
        if self._is_changed:
            self._keep(self._written)

    def action_leave(self) -> None:
        """Close without saving. A changed text is discarded by the second press only."""
        if self._is_changed and not self._warned:
            self._warned = True
            keep, leave = key_of(self, "note.keep"), key_of(self, "note.leave")
            dialog = self.query_one(".dialog")
            dialog.border_subtitle = f"not saved · {keep}: save · {leave} again: discard"
        else:
            self.dismiss(None)

    def on_text_area_changed(self) -> None:
        self._warned = False
