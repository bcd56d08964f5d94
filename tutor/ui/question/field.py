"""Base classes of all answer fields, and rows to choose from.

A field holds an unfinished answer. `value()` returns it, or raises `ValueError` with a sentence that
says what is missing; `HandedIn` is posted when the learner presses Enter on it.
"""

import json
import string
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import HorizontalGroup, Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from tutor.course.model import AskedQuestion
from tutor.quiz.option_order import to_author_keys, to_labels
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import keymap_of, with_keys
from tutor.ui.kit.keys.key_text import Named
from tutor.ui.kit.widgets.press import Press

RIGHT, WRONG = "✓", "✗"


def letters(keys: list[str], without: str = "") -> dict[str, str]:
    """The key to press for each of `keys`: the key itself if all are single letters or digits."""
    if all(len(key) == 1 and key.isalnum() for key in keys):
        return {key: key for key in keys}
    free = [c for c in string.ascii_lowercase + string.digits if c not in without]
    return dict(zip(free, keys, strict=False))


class Row(Widget):
    """A mark that changes and a text next to it. A click acts like its key."""

    INDENT = 6  # column where the text begins, also on wrapped lines

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
    """Base of all fields. `help` is the line of keys shown below it. `TEXT` selects the widget for typed
    text if that is not the field itself."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("question")
    help = ""
    begun = ""  # the text typed before, or the marks made before
    TEXT: ClassVar[type[Widget] | None] = None

    class HandedIn(Message):
        """Enter was pressed on the field."""

    class Changed(Message):
        """The unfinished answer has changed."""

    @property
    def text(self) -> str:
        """The typed text, or the marks as text; "" if there are none."""
        return ""

    def value(self) -> Any:
        raise NotImplementedError

    @property
    def is_below(self) -> bool:
        """Return True if all of the field is below the edge of the screen."""
        return self.is_mounted and self.region.y >= self.screen.size.height - 1

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.is_below if action == "below" else True

    async def action_below(self) -> None:
        """A page down, as anywhere; the footer names the key while the field is below."""
        await self.run_action("screen.page(1)")
        self.set_timer(0.1, self.screen.refresh_bindings)  # once the page has moved

    def action_submit(self) -> None:
        self.post_message(self.HandedIn())

    def start(self, scroll: bool = True) -> None:
        """Take the focus, with `scroll` also the page. A field that is being removed has no text that
        could take it."""
        if self.TEXT is None:
            self.focus(scroll)
            return
        for text in self.query(self.TEXT):
            text.focus(scroll)
            return

    def show_boxes(self, *, empty: bool) -> None:
        """Show the boxes for typed text; those in which nothing stands only if `empty`."""

    def reveal(self, question: AskedQuestion, value: Any) -> None:
        """Mark the right answer and lock the field. A `value` of None means that no answer was given."""
        self.disabled = True


class ListField(Field, can_focus=True):
    """Rows with a cursor. Up and down (j, k where those are not answers) move it."""

    def __init__(self, rows: list[Content], keys: dict[str, str]) -> None:
        super().__init__()
        self.rows = [Row(index, text) for index, text in enumerate(rows)]
        self.keys = keys
        self.cursor = 0
        self._question: AskedQuestion | None = None  # whose labels the marks have

    def take_draft(self, question: AskedQuestion, draft: str) -> None:
        """Mark again what was marked before, as `text` gave it. What the question has no more is left
        out. Call it before mounting."""
        self._question, self.begun = question, draft
        try:
            marks = json.loads(draft) if draft else None
        except ValueError:
            return
        if marks:
            self.mark(to_labels(question, marks))

    @property
    def text(self) -> str:
        marks = self.marks
        if not marks or self._question is None:
            return ""
        return json.dumps(to_author_keys(self._question, marks))

    @property
    def marks(self) -> Any:
        """What is marked so far, in the question's labels; empty if nothing is."""
        raise NotImplementedError

    def mark(self, marks: Any) -> None:
        """Mark what `marks` has, as far as it fits the question."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        yield from self.rows

    def on_mount(self) -> None:
        self.draw()

    def draw(self) -> None:
        raise NotImplementedError

    def press(self, key: str) -> bool:
        """Act on a key that is not a movement; return False if the key has no meaning here."""
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


class Foot(HorizontalGroup):
    """The button below a field that submits it, and a note next to the button."""

    DEFAULT_CSS = """
    Foot { margin: 1 0 0 0; }
    Foot Press { margin: 0 2 0 0; }
    Foot .note { width: 1fr; height: auto; }
    """

    def __init__(self, note: str, label: str = "Submit") -> None:
        """Create it. `note` names keys as `with_keys` expects them."""
        self._button = Press(label, "submit")
        self._note, self._style, self._names_keys = note, "dim", True
        self._text = Named(self._name_keys, classes="note")
        super().__init__(self._button, self._text)

    def _name_keys(self) -> Content:
        note = with_keys(self._note, keymap_of(self)) if self._names_keys else self._note
        return Content.styled(note, self._style)

    def say(self, text: str, style: str, *, button: bool = True, names_keys: bool = False) -> None:
        """Show another note, with or without the button. `names_keys`: it is written for `with_keys`."""
        self._note, self._style, self._names_keys = text, style, names_keys
        self._text.keys_changed()
        self._button.display = button

    def action_submit(self) -> None:
        """Submit the last field above that still takes an answer."""
        fields = self.parent.query(Field) if isinstance(self.parent, Widget) else ()
        for field in [field for field in fields if not field.disabled][-1:]:
            field.action_submit()
