"""Something to do next, on home and on the introduction."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static


class Step(Static, can_focus=True):
    """One line to act on: its letter, Enter, or a click."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "go", "go", show=False)]
    DEFAULT_CSS = """
    Step { height: auto; padding: 0 1; }
    Step:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    """

    class Taken(Message):
        def __init__(self, action: str) -> None:
            self.action = action
            super().__init__()

    def __init__(self, key: str, name: str, words: Content | str, action: str) -> None:
        """`action`: the screen's action that the line does, as its letter does."""
        line = Content.assemble((f" {key}  ", "bold $primary"), (f"{name:<10}", "bold"), words)
        super().__init__(line, markup=False, classes="step")
        self._action = action

    def action_go(self) -> None:
        self.post_message(self.Taken(self._action))

    def on_click(self) -> None:
        self.action_go()
