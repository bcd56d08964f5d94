"""A box for prose of several lines: notes, written answers, reflections."""

from textual.widgets import TextArea

from tutor.ui.kit.core.textual_fixes import TextAreaFixes


class TextBox(TextAreaFixes, TextArea):
    """A text area that wraps its lines; Tab moves on to the next widget."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text, soft_wrap=True, tab_behavior="focus", compact=True)
