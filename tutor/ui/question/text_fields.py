"""Fields for typed answers: a number or word, blanks, a text; and a field for the confidence."""

import re
from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static, TextArea

from tutor.course.model import AskedQuestion
from tutor.ui.kit.text import highlight
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.press import presses
from tutor.ui.kit.widgets.text_box import TextBox
from tutor.ui.question.field import Field

_BLANK = re.compile(r"\{(\d{1,2})\}")


class TypedField(Field):
    """A typed number or word. `value()` is the text; the kind of the question says how to read it."""

    TEXT = Input

    def __init__(self, begun: str = "", *, number: bool, unit: str = "") -> None:
        super().__init__()
        self.begun, self.unit = begun, unit
        what = "a number, e.g. 1.5e12" if number else "your answer"
        self.help = f"type {what} · Enter: submit"

    def compose(self) -> ComposeResult:
        with Horizontal(classes="typed"):
            yield Input(self.begun, max_length=400, compact=True, select_on_focus=False)
            if self.unit:
                yield Static(Content(self.unit), classes="unit")

    @property
    def text(self) -> str:
        return self.query_one(Input).value

    def show_boxes(self, *, empty: bool) -> None:
        self.display = empty or bool(self.text.strip())

    def value(self) -> Any:
        text = self.text.strip()
        if not text:
            raise ValueError("Type an answer first.")
        return text

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.HandedIn())

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())


class FillField(Field):
    """Blanks in code or text. Typed text appears immediately in its blank."""

    TEXT = Input
    help = "type each blank · Enter: next, then submit · Tab: move"

    def __init__(self, question: AskedQuestion, begun: str = "") -> None:
        super().__init__()
        self.begun = begun
        self.source, self.is_code = question.code or question.text, bool(question.code)
        self.blanks = len(question.answer)
        self._at = 0  # the blank in which the learner acts next

    def compose(self) -> ComposeResult:
        typed = [*self.begun.split("\n"), *[""] * self.blanks][: self.blanks]
        yield Static(self._fill_in(typed), classes="code")
        for number, text in enumerate(typed, 1):
            with Horizontal(classes="typed"):
                yield Static(Content(f"{number} "), classes="blank-number")
                yield Input(text, max_length=200, compact=True, select_on_focus=False)

    @property
    def text(self) -> str:
        return "\n".join(box.value for box in self.inputs).rstrip("\n")

    @property
    def inputs(self) -> list[Input]:
        return list(self.query(Input))

    def show_boxes(self, *, empty: bool) -> None:
        """The blanks stay in the text above."""
        for row in self.query(".typed"):
            row.display = empty or bool(row.query_one(Input).value.strip())

    def value(self) -> Any:
        values = [box.value.strip() for box in self.inputs]
        if "" in values:
            self._at = values.index("")
            raise ValueError(f"Blank {self._at + 1} is still empty.")
        return values

    def start(self, scroll: bool = True) -> None:
        """Take the focus in the blank that was told to be empty; at first in the first one."""
        for box in self.inputs[self._at :][:1]:
            box.focus(scroll)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        place = self.inputs.index(event.input)
        if place + 1 < self.blanks:
            self.inputs[place + 1].focus()
        else:
            self.post_message(self.HandedIn())

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(".code", Static).update(self._fill_in([box.value for box in self.inputs]))
        self.post_message(self.Changed())

    def _fill_in(self, values: list[str]) -> Content:
        """The text with the typed words or the number in the place of each blank."""
        text, places, end = "", [], 0
        source = self.source.strip("\n")
        for blank in _BLANK.finditer(source):
            number = int(blank[1])
            text += source[end : blank.start()]
            end = blank.end()
            typed = make_visible(values[number - 1]) if 1 <= number <= len(values) else ""
            shown = typed or f"‹{number}›"
            places.append((len(text), len(text) + len(shown)))
            text += shown
        text += source[end:]
        content = highlight.colour_code(text) if self.is_code else Content(text)
        for start, stop in places:
            content = content.stylize("bold underline $accent", start, stop)
        return content


class WrittenField(Field):
    """A written answer. Enter starts a new line in it; Esc leaves the text, then Enter submits it.

    The field itself takes the focus only from its text: Tab goes straight to the text.
    """

    TEXT = TextArea
    help = "write · {question.submit}: submit (or Esc and Enter)"

    def __init__(self, begun: str = "") -> None:
        """Create the field. `begun` is text written before."""
        super().__init__()
        self.begun = begun

    def compose(self) -> ComposeResult:
        area = TextBox(self.begun)
        area.move_cursor(area.document.end)
        yield area

    @property
    def text(self) -> str:
        return self.query_one(TextArea).text

    def show_boxes(self, *, empty: bool) -> None:
        self.display = empty or bool(self.text.strip())

    def value(self) -> Any:
        text = self.text.strip()
        if not text:
            raise ValueError("Write a sentence first: comparing is worth little without one.")
        return text[:20_000]

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())

    def on_key(self, event: events.Key) -> None:
        writing = not self.has_focus
        if event.key == "enter" and not writing:
            self.action_submit()
        elif event.key == "escape" and writing:
            self.can_focus = True
            self.focus()
        else:
            return
        event.stop()

    def on_blur(self) -> None:
        if self.app.app_focus:  # the learner left the field, not the terminal
            self.can_focus = False


class ConfidenceField(Field, can_focus=True):
    """The confidence, 1 to 5, before anything is revealed. Enter skips it."""

    class Chosen(Message):
        def __init__(self, confidence: int | None) -> None:
            super().__init__()
            self.confidence = confidence

    class Back(Message):
        """The learner wants to change the answer."""

    def compose(self) -> ComposeResult:
        scale = {1: "guess", 2: "", 3: "unsure", 4: "", 5: "certain"}
        parts = [Content.styled("How sure are you? ", "bold")]
        for number, word in scale.items():
            named = Content.assemble((f" {number} ", "$accent bold"), f"{word} " if word else "")
            parts.append(presses(named, str(number)))
        ways = {"enter": " Enter skips", "left": " · ← back"}
        parts += [presses(Content.styled(words, "dim"), key) for key, words in ways.items()]
        yield Static(Content.assemble(*parts))

    def action_submit(self) -> None:
        self.post_message(self.Chosen(None))

    def on_key(self, event: events.Key) -> None:
        if event.key in ("1", "2", "3", "4", "5"):
            self.post_message(self.Chosen(int(event.key)))
        elif event.key == "enter":
            self.action_submit()
        elif event.key in ("left", "backspace"):
            self.post_message(self.Back())
        else:
            return
        event.stop()
