"""Something to do next, on home and on the introduction."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static


class Step(Horizontal, can_focus=True):
    """One thing to act on: its letter, Enter, or a click. Words that need a second line stay below
    the words."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "go", "go", show=False)]
    DEFAULT_CSS = """
    Step { height: auto; padding: 0 1; }
    Step .name { width: 14; }
    Step .words { width: 1fr; }
    Step:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    """

    class Taken(Message):
        def __init__(self, action: str) -> None:
            self.action = action
            super().__init__()

    def __init__(self, key: str, name: str, words: Content | str, action: str) -> None:
        """`action`: the screen's action that the line does, as its letter does."""
        super().__init__(classes="step")
        self._head = Content.assemble((f" {key}  ", "bold $primary"), (name, "bold"))
        self._words = words
        self._action = action

    def compose(self) -> ComposeResult:
        yield Static(self._head, classes="name", markup=False)
        yield Static(self._words, classes="words", markup=False)

    def action_go(self) -> None:
        self.post_message(self.Taken(self._action))

    def on_click(self) -> None:
        self.action_go()
