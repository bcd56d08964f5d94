"""A pop-up that explains a term, an idea or an answered question, with links to other places."""

from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static

from tutor.ui.kit.core.screen import Modal, TutorScreen
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.actions import window_bindings
from tutor.ui.kit.keys.key_labels import key_of


class Entry(NamedTuple):
    """The contents. `copied` is the text for the clipboard; `links` are lines with their targets."""

    title: str
    text: Content
    copied: str
    links: tuple[tuple[Content, str], ...]


class EntryScreen(Modal[str | None]):
    """The pop-up. Its result is the target of the chosen link, or None."""

    DEFAULT_CSS = """
    EntryScreen #text { height: auto; max-height: 60%; }
    EntryScreen #links { margin: 1 0 0 0; }
    """
    BINDINGS = window_bindings("entry")

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self._entry = entry

    def compose(self) -> ComposeResult:
        opens = "Enter opens · " if self._entry.links else ""
        with dialog(self._entry.title, f"{opens}{key_of(self, 'entry.close')} closes"):
            with VerticalScroll(id="text"):
                yield Static(self._entry.text, markup=False)
            if self._entry.links:
                yield OptionList(*(line for line, _ in self._entry.links), id="links", markup=False)

    def on_mount(self) -> None:
        for links in self.query(OptionList):
            links.highlighted = 0
            links.focus()

    @on(OptionList.OptionSelected)
    def follow_link(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._entry.links[event.option_index][1])

    def action_cursor(self, step: int) -> None:
        for links in self.query(OptionList):
            links.action_cursor_down() if step > 0 else links.action_cursor_up()

    def action_page(self, step: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=5 * step, animate=False)

    def action_close(self) -> None:
        self.dismiss(None)

    def action_copy(self) -> None:
        """Copy through the screen below, which notifies the result."""
        below = self.app.screen_stack[-2]
        if isinstance(below, TutorScreen):
            below.copy(self._entry.copied, self._entry.title)
