"""The learner's note on a card or on a section of a lesson."""

from collections.abc import Callable
from contextlib import suppress
from typing import cast

from textual.app import ComposeResult
from textual.containers import HorizontalGroup
from textual.timer import Timer

from tutor.base.errors import UsageError
from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.core.services import Services
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.widgets.press import Press
from tutor.ui.kit.widgets.text_box import TextBox

LONGEST = 4_000  # characters
_DRAFTS = "note"  # of the record's edits: the exercise; the note's place is the file
_DRAFT_SECONDS = 1.0  # from the first unsaved change until it is in the record


class NoteScreen(Modal[None]):
    """A field for the note. It calls `keep` with the new text ("" removes the note) unless the learner
    cancels, also when the application ends and the text has changed.

    What is typed is in the record a second later, under `place`, and is there again after a program that
    was killed.
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
        place: str,
        title: str = "Your note to this card",
        keep: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self._text, self._place, self._title, self._keep = text, place, title, keep
        self._warned = False  # that the next cancel discards the text
        self._stored = ""  # the draft in the record
        self._drafting: Timer | None = None  # runs from the first change that is not stored

    def compose(self) -> ComposeResult:
        keep, leave = key_of(self, "note.keep"), key_of(self, "note.leave")
        edits = cast(Services, self.app).record.activity.edits(_DRAFTS)
        draft = next((edit.text for edit in edits if edit.path == self._place), "")
        self._stored = draft
        state = "not saved · " if draft else ""
        with dialog(self._title, f"{state}{keep}: save · {leave}: cancel"):
            yield TextBox(draft or self._text)
            yield HorizontalGroup(Press("Save", "keep"), Press("Cancel", "leave"))

    @property
    def _written(self) -> str:
        return self.query_one(TextBox).text.strip()[:LONGEST]

    def action_keep(self) -> None:
        text = self._written
        self._store_draft("")
        self.dismiss(None)
        self._keep(text)

    @property
    def _is_changed(self) -> bool:
        return self._written != self._text.strip()

    def put_away(self) -> None:
        """Keep the text before the application ends: the learner has not cancelled."""
        if self._is_changed:
            self._store_draft("")
            self._keep(self._written)

    def action_leave(self) -> None:
        """Close without saving. A changed text is discarded by the second press only."""
        if self._is_changed and not self._warned:
            self._warned = True
            keep, leave = key_of(self, "note.keep"), key_of(self, "note.leave")
            dialog = self.query_one(".dialog")
            dialog.border_subtitle = f"not saved · {keep}: save · {leave} again: discard"
        else:
            self._store_draft("")
            self.dismiss(None)

    def on_text_area_changed(self) -> None:
        self._warned = False
        if self._drafting is None:
            self._drafting = self.set_timer(_DRAFT_SECONDS, self._keep_draft)

    def _keep_draft(self) -> None:
        self._drafting = None
        self._store_draft(self._written if self._is_changed else "")

    def _store_draft(self, text: str) -> None:
        """Store the text ("": there is none) unless it is the one that is stored."""
        if self._drafting is not None:
            self._drafting.stop()
            self._drafting = None
        if text == self._stored:
            return
        with suppress(UsageError):  # a full disk: saving the note says so
            cast(Services, self.app).record.activity.save_edit(_DRAFTS, self._place, text)
            self._stored = text
