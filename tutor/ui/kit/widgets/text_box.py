"""A box for prose of several lines: notes, written answers, reflections."""

from typing import ClassVar

from textual.binding import BindingType
from textual.widgets import TextArea

from tutor.ui.kit.core.textual_fixes import TEXT_EDGES, TextAreaFixes


class TextBox(TextAreaFixes, TextArea):
    """A text area that wraps its lines; Tab moves on to the next widget. The cursor begins at the end of
    the text."""

    BINDINGS: ClassVar[list[BindingType]] = TEXT_EDGES

    def __init__(self, text: str = "") -> None:
        super().__init__(text, soft_wrap=True, tab_behavior="focus", compact=True)

    def on_mount(self) -> None:
        self.move_cursor(self.document.end)
