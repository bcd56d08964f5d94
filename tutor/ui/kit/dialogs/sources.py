"""The sources of a day: titles with their addresses, which open, are links, and can be copied."""

import os
import shutil
from collections.abc import Sequence

from textual import on
from textual.app import App, ComposeResult
from textual.content import Content
from textual.style import Style
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tutor.course.model import Source
from tutor.ui.kit.core.screen import Modal, TutorScreen
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.actions import window_bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.safe_text import make_visible

_OPENERS = ("xdg-open", "open", "wslview")  # without one, no browser of this desktop can be opened


class SourcesScreen(Modal[None]):
    """Lists `sources` by their numbers in the text, with the one at `start` chosen; then `notes`."""

    BINDINGS = window_bindings("sources")
    AUTO_FOCUS = "OptionList"

    def __init__(
        self, sources: Sequence[Source], notes: Sequence[str] = (), start: int = 0
    ) -> None:
        super().__init__()
        self._sources, self._notes, self._start = sources, notes, start

    def compose(self) -> ComposeResult:
        copies, closes = key_of(self, "sources.copy"), key_of(self, "sources.close")
        with dialog("Sources", f"Enter opens · {copies} copies · {closes} closes"):
            options = [
                Option(format_source(number, source, self._room), disabled=not source.url)
                for number, source in enumerate(self._sources, 1)
            ]
            notes = [
                Option(Content(f"\n{make_visible(note)}"), disabled=True) for note in self._notes
            ]
            yield OptionList(*options, *notes, markup=False)

    @property
    def _room(self) -> int:
        """Columns beside the numbers, without the frame, its margins and the bar for scrolling."""
        return max(20, min(72, self.app.size.width) - 12)

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = self._start if self._sources else None

    @property
    def _chosen(self) -> Source | None:
        index = self.query_one(OptionList).highlighted
        return self._sources[index] if index is not None and index < len(self._sources) else None

    @on(OptionList.OptionSelected)
    def open_chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        source = self._chosen
        if source is not None and not open_address(self.app, source.url):
            key = key_of(self, "sources.copy")
            self.notify(
                f"No browser can be opened here. {key} copies the address.", markup=False, timeout=6
            )

    def action_copy(self) -> None:
        """Copy the address through the screen below, which notifies the result."""
        below = self.app.screen_stack[-2]
        if self._chosen is not None and isinstance(below, TutorScreen):
            below.copy(self._chosen.url, "The address")

    def action_close(self) -> None:
        self.dismiss(None)


def format_source(number: int, source: Source, room: int) -> Content:
    """The title in words, the address as a link of the terminal (OSC 8), and a gap below."""
    address = Content.styled(make_visible(source.url), "underline $primary")
    address = address.stylize(Style(link=make_visible(source.url)))
    title = Content.assemble(
        (make_visible(source.title.replace("`", "")), "bold"),
        (f"  {make_visible(source.version)}" if source.version else "", "$foreground 70%"),
    )
    rows = [*title.wrap(room), *address.fold(room), Content()]
    margins = (Content.styled(f"{number:>2}  ", "$foreground 70%"), Content("    "))
    return Content("\n").join(margins[min(at, 1)] + row.rstrip() for at, row in enumerate(rows))


def open_address(app: App[object], url: str) -> bool:
    """Open the address in a browser; return False where nothing here could show it.

    A browser for terminals would draw over this program, so a desktop is needed.
    """
    desktop = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not (
        app.is_web or ((desktop or shutil.which("wslview")) and any(map(shutil.which, _OPENERS)))
    ):
        return False
    app.open_url(url)
    return True
