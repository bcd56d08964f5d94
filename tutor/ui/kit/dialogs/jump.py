"""Letters on all widgets of a screen that can take the focus. A letter moves the focus there."""

from contextlib import suppress

from textual.app import ComposeResult
from textual.errors import NoWidget
from textual.events import Key, Resize
from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of

LETTERS = "asdfghklqwertyuiopzxcvbnmj"
_WIDTH = 4  # cells from one letter to another that would stand in the same place


def targets(screen: Screen[object]) -> dict[str, tuple[Widget, Offset]]:
    """Letter -> a widget that can take the focus and the place of its visible corner. At most 26, in
    the order of Tab."""
    places: list[tuple[Widget, Offset]] = []
    taken: set[Offset] = set()
    for widget in screen.focus_chain:
        with suppress(NoWidget):
            region = screen.find_widget(widget).visible_region
            corner = region.offset
            while corner in taken:
                corner += Offset(_WIDTH, 0)
            if region:
                taken.add(corner)
                places.append((widget, corner))
    return dict(zip(LETTERS, places, strict=False))


class JumpScreen(Modal[None]):
    """The letters. A letter gives its widget the focus."""

    CSS_PATH = "jump.tcss"
    BINDINGS = bindings("jump")

    def __init__(self, targets: dict[str, tuple[Widget, Offset]]) -> None:
        super().__init__()
        self._targets = targets

    def compose(self) -> ComposeResult:
        for letter, (_, corner) in self._targets.items():
            label = Static(f" {letter} ", classes="letter", markup=False)
            label.absolute_offset = corner
            yield label
        stay = key_of(self, "jump.close")
        yield Static(f"Press a letter to go there, {stay} to stay.", id="says", markup=False)

    def on_key(self, event: Key) -> None:
        if event.character in self._targets:
            event.stop()
            widget = self._targets[event.character][0]
            # Before its screen comes back: home is drawn anew then.
            widget.screen.set_focus(widget)
            self.dismiss()

    def on_resize(self, event: Resize) -> None:
        if event.size != self.app.size:  # the widgets below the letters have moved
            self.dismiss()

    def action_cancel(self) -> None:
        self.dismiss()
