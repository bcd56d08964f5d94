"""The message for a terminal that is too small for a page."""

from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Static

from tutor.ui.kit.core.textual_fixes import ScreenFixes
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of


class SmallScreen(ScreenFixes, ModalScreen[None]):
    """A message that closes when the window has grown (see `TutorApp.on_resize`)."""

    BINDINGS = bindings("small")
    DEFAULT_CSS = """
    SmallScreen { background: $background; }
    SmallScreen Static { width: 100%; height: 100%; content-align: center middle; }
    """

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__()
        self._needed = f"{columns} columns and {rows} rows"

    def compose(self) -> ComposeResult:
        quits = key_of(self, "small.quit")
        yield Static(
            f"Make the window larger: {self._needed} are needed. "
            f"{quits} quits; `tutor lesson DAY --plain` needs no screen.",
            markup=False,
        )
