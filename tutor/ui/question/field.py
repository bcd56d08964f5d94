"""What every way to answer has in common, and rows to choose among.

A field holds an answer in the making. `value()` gives it, or raises `ValueError` with the sentence
that says what is still missing; `HandedIn` is posted when the learner presses Enter on it.
"""

import string
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from tutor.course.model import Question

RIGHT, WRONG = "✓", "✗"


def letters(keys: list[str], without: str = "") -> dict[str, str]:
    """The key to press for each of `keys`: itself where every one is a single letter or digit."""
    if all(len(key) == 1 and key.isalnum() for key in keys):
        return {key: key for key in keys}
    free = [c for c in string.ascii_lowercase + string.digits if c not in without]
    return dict(zip(free, keys, strict=False))


class Row(Widget):
    """A mark that changes, and beside it a text; clicking it is pressing its key."""

    INDENT = 6  # where the text begins, also on the lines it wraps to

    class Clicked(Message):
        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, index: int, text: Content) -> None:
        super().__init__()
        self.index = index
        self.text = text
        self._mark = Content("")

    def show(self, mark: str, *, here: bool = False, style: str = "") -> None:
        """Draw the mark; `here` says that the cursor is on this row."""
        self._mark = Content.styled(("▸ " if here else "  ") + mark, style)
        self.set_class(here, "-here")
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.text.wrap(max(1, width - self.INDENT)))

    def render(self) -> Content:
        lines = self.text.wrap(max(1, self.content_size.width - self.INDENT))
        first = Content.assemble(self._mark, " " * (self.INDENT - self._mark.cell_length), lines[0])
        rest = (Content.assemble(" " * self.INDENT, line) for line in lines[1:])
        return Content("\n").join([first, *rest])

    def on_click(self) -> None:
        self.post_message(self.Clicked(self.index))


class Field(Vertical):
    """Base of all fields. `help` is the line of keys shown under it; `TEXT`, what is typed into, where
    that is not the field itself."""

    help = ""
    TEXT: ClassVar[type[Widget] | None] = None

    class HandedIn(Message):
        """Enter was pressed on the field."""

    class Changed(Message):
        """The answer in the making is another one now."""

    def value(self) -> Any:
        raise NotImplementedError

    def start(self) -> None:
        """Take the keyboard. A field on its way out has no text to give it to."""
        if self.TEXT is None:
            self.focus()
            return
        for text in self.query(self.TEXT):
            text.focus()
            return

    def reveal(self, question: Question, value: Any) -> None:
        """Mark what was right; nothing can be changed any more. A `value` of None was no answer."""
        self.disabled = True


class ListField(Field, can_focus=True):
    """Rows with a cursor. Up and down (j, k where those are not answers) move it."""

    def __init__(self, rows: list[Content], keys: dict[str, str]) -> None:
        super().__init__()
        self.rows = [Row(index, text) for index, text in enumerate(rows)]
        self.keys = keys
        self.cursor = 0

    def compose(self) -> ComposeResult:
        yield from self.rows

    def on_mount(self) -> None:
        self.draw()

    def draw(self) -> None:
        raise NotImplementedError

    def press(self, key: str) -> bool:
        """Act on a key that is not a movement; False where it means nothing here."""
        raise NotImplementedError

    def move(self, steps: int) -> None:
        self.cursor = max(0, min(len(self.rows) - 1, self.cursor + steps))

    def on_key(self, event: events.Key) -> None:
        key = event.character if event.character and event.character.isprintable() else event.key
        down = key == "down" or (key == "j" and "j" not in self.keys)
        up = key == "up" or (key == "k" and "k" not in self.keys)
        if key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.HandedIn())
            return
        if down or up:
            self.move(1 if down else -1)
        elif not self.press(key):
            return
        event.stop()
        event.prevent_default()
        self.draw()
        self.rows[self.cursor].scroll_visible(animate=False)
        self.post_message(self.Changed())

    def on_row_clicked(self, event: Row.Clicked) -> None:
        event.stop()
        self.cursor = event.index
        self.press(" ")
        self.draw()
        self.post_message(self.Changed())
