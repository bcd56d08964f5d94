"""The ways to answer: one widget for each shape an answer has. All are worked with plain keys.

A field holds an answer in the making. `value()` gives it, or raises `ValueError` with the sentence
that says what is still missing; `HandedIn` is posted when the learner presses Enter on it.
"""

import re
import string
from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from tutor.course.model import Question
from tutor.ui import highlight
from tutor.ui.inline import inline
from tutor.ui.plain import visible

RIGHT, WRONG = "✓", "✗"
_BLANK = re.compile(r"\{(\d{1,2})\}")


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
    """Base of all fields. `help` is the line of keys shown under it."""

    help = ""

    class HandedIn(Message):
        """Enter was pressed on the field."""

    class Changed(Message):
        """The answer in the making is another one now."""

    def value(self) -> Any:
        raise NotImplementedError

    def start(self) -> None:
        """Take the keyboard."""
        self.focus()

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


class OptionsField(ListField):
    """One of several (`many` false) or any of them."""

    def __init__(self, options: dict[str, str], *, many: bool) -> None:
        keys = letters(list(options))
        super().__init__([inline(text) for text in options.values()], keys)
        self.options, self.many = list(options), many
        self.chosen: set[str] = set()
        self.cursor = 0 if many else -1
        self.help = (
            "letters or space tick · Enter hands in"
            if many
            else "a letter or ↑ ↓ chooses · Enter hands in"
        )

    def value(self) -> Any:
        if not self.chosen and not self.many:
            raise ValueError("Choose one first: press its letter.")
        if not self.chosen:
            raise ValueError("Tick at least one: press its letter.")
        picked = [key for key in self.options if key in self.chosen]
        return picked if self.many else picked[0]

    def move(self, steps: int) -> None:
        super().move(steps)
        if not self.many:
            self.chosen = {self.options[self.cursor]}

    def press(self, key: str) -> bool:
        if key in self.keys:
            self.cursor = self.options.index(self.keys[key])
        elif key not in (" ", "space") or self.cursor < 0:
            return False
        here = {self.options[self.cursor]}
        self.chosen = self.chosen ^ here if self.many else here
        return True

    def draw(self) -> None:
        on, off = ("■", "□") if self.many else ("●", "○")
        for row, (letter, key) in zip(self.rows, self.keys.items(), strict=True):
            mark = on if key in self.chosen else off
            row.show(f"{mark} {letter}", here=row.index == self.cursor)

    def reveal(self, question: Question, value: Any) -> None:
        super().reveal(question, value)
        if value is None:
            self.chosen = set()
        answer = (
            {question.answer} if isinstance(question.answer, str) else set(question.answer or ())
        )
        for row, (letter, key) in zip(self.rows, self.keys.items(), strict=True):
            mine = "●" if key in self.chosen else " "
            mark = RIGHT if key in answer else WRONG if key in self.chosen and answer else " "
            style = {"✓": "bold $success", "✗": "bold $error"}.get(mark, "")
            row.show(f"{mark}{mine}{letter}", style=style)
            if key in question.feedback:
                note = Static(inline(question.feedback[key]), classes="feedback")
                note.set_class(key in self.chosen, "-mine")
                self.mount(note, after=row)


class OrderField(ListField):
    """Things to be put in order: press their letters in turn, or move them with J and K."""

    help = "letters in order, again takes back · J K move · Enter hands in"

    def __init__(self, items: dict[str, str]) -> None:
        super().__init__([inline(text) for text in items.values()], letters(list(items)))
        self.texts = {key: inline(text) for key, text in items.items()}
        self.letter_of = {key: letter for letter, key in self.keys.items()}
        self.placed: list[str] = []

    def shown(self) -> list[str]:
        """What is placed in its order, then what is not."""
        return self.placed + [key for key in self.texts if key not in self.placed]

    def value(self) -> Any:
        missing = len(self.texts) - len(self.placed)
        if missing:
            what = "one line has" if missing == 1 else f"{missing} lines have"
            raise ValueError(
                f"{what[0].upper()}{what[1:]} no place yet: press the letters in order."
            )
        return list(self.placed)

    def press(self, key: str) -> bool:
        if key in ("J", "K", "shift+down", "shift+up"):
            self._shift(1 if key in ("J", "shift+down") else -1)
        elif key == "backspace":
            self.placed = self.placed[:-1]
        elif key in self.keys or key in (" ", "space"):
            item = self.keys.get(key) or self.shown()[self.cursor]
            if item in self.placed:
                self.placed.remove(item)
            else:
                self.placed.append(item)
            self.cursor = self.shown().index(item)
        else:
            return False
        return True

    def _shift(self, steps: int) -> None:
        order = self.shown()
        target = self.cursor + steps
        if 0 <= target < len(order):
            order[self.cursor], order[target] = order[target], order[self.cursor]
            self.cursor = target
        self.placed = order

    def draw(self) -> None:
        for row, key in zip(self.rows, self.shown(), strict=True):
            place = str(self.placed.index(key) + 1) if key in self.placed else "·"
            row.text = self.texts[key]
            row.refresh(layout=True)
            row.show(f"{place} {self.letter_of[key]}", here=row.index == self.cursor)

    def reveal(self, question: Question, value: Any) -> None:
        super().reveal(question, value)
        if value is None:
            self.placed = list(question.answer)
            self.draw()
            return
        for row, key, right in zip(self.rows, self.placed, question.answer, strict=True):
            mark, style = (RIGHT, "$success") if key == right else (WRONG, "$error")
            row.show(f"{mark} {self.letter_of[key]}", style=style)


class MatchField(ListField):
    """Something on the right for everything on the left: press its letter; the cursor goes on."""

    help = "a letter picks for the marked line · ↑ ↓ move · Enter hands in"

    def __init__(self, left: dict[str, str], right: dict[str, str]) -> None:
        super().__init__([inline(text) for text in left.values()], letters(list(right)))
        self.left, self.right = left, right
        self.letter_of = {key: letter for letter, key in self.keys.items()}
        self.picked: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield Static(
            Content("\n").join(
                Content.assemble((f"  {letter}  ", "bold"), inline(self.right[key]))
                for letter, key in self.keys.items()
            ),
            classes="right-side",
        )

    def value(self) -> Any:
        missing = len(self.left) - len(self.picked)
        if missing:
            raise ValueError(f"{missing} still without a partner: move there and press a letter.")
        return dict(self.picked)

    def press(self, key: str) -> bool:
        here = list(self.left)[self.cursor]
        if key in ("backspace", "delete"):
            self.picked.pop(here, None)
        elif key in self.keys:
            self.picked[here] = self.keys[key]
            self.cursor = next(
                (i for i, k in enumerate(self.left) if k not in self.picked), self.cursor
            )
        else:
            return False
        return True

    def draw(self) -> None:
        for row, (key, text) in zip(self.rows, self.left.items(), strict=True):
            row.text = self._pair(text, self.picked.get(key))
            row.refresh(layout=True)
            row.show(
                self.letter_of[self.picked[key]] if key in self.picked else "·",
                here=row.index == self.cursor,
            )

    def _pair(self, text: str, partner: str | None) -> Content:
        if partner is None:
            return inline(text)
        return Content.assemble(inline(text), (" ─ ", "dim"), inline(self.right[partner]))

    def reveal(self, question: Question, value: Any) -> None:
        super().reveal(question, value)
        if value is None:
            self.picked = dict(question.answer)
            self.draw()
            return
        for row, key in zip(self.rows, self.left, strict=True):
            good = self.picked[key] == question.answer[key]
            mark, style = (RIGHT, "$success") if good else (WRONG, "$error")
            row.show(f"{mark} {self.letter_of[self.picked[key]]}", style=style)


class LineField(ListField):
    """Point at a line of code: the arrows, or its number."""

    help = "↑ ↓ or the line's number points · Enter hands in"

    def __init__(self, source: str) -> None:
        lines = highlight.code("\n".join(map(visible, source.strip("\n").split("\n")))).split("\n")
        super().__init__(list(lines), {})
        self.typed = ""

    def value(self) -> Any:
        return self.cursor + 1

    def move(self, steps: int) -> None:
        self.typed = ""
        super().move(steps)

    def press(self, key: str) -> bool:
        """Digits typed one after the other make a number, as long as there is such a line."""
        if key in (" ", "space"):
            return True
        if not (key.isdecimal() and key.isascii()):
            return False
        for typed in (self.typed + key, key):
            if 1 <= int(typed) <= len(self.rows):
                self.typed, self.cursor = typed, int(typed) - 1
                break
        return True

    def draw(self) -> None:
        for row in self.rows:
            row.show(f"{row.index + 1:>2}", here=row.index == self.cursor)

    def reveal(self, question: Question, value: Any) -> None:
        super().reveal(question, value)
        answer = {question.answer} if isinstance(question.answer, int) else set(question.answer)
        for row in self.rows:
            number, mine = row.index + 1, row.index + 1 == value
            mark = RIGHT if number in answer else WRONG if mine else " "
            style = {"✓": "bold $success", "✗": "bold $error"}.get(mark, "")
            row.show(f"{number:>2}{mark}", style=style)
            if number in question.tempting:
                note = Static(inline(question.tempting[number]), classes="feedback")
                note.set_class(mine, "-mine")
                self.mount(note, after=row)


class TypedField(Field):
    """A number or a word, typed. `value()` is the text; the question's kind says what it means."""

    def __init__(self, *, number: bool, unit: str = "") -> None:
        super().__init__()
        self.unit = unit
        self.help = "type " + ("the number" if number else "your answer") + " · Enter hands in"

    def compose(self) -> ComposeResult:
        with Horizontal(classes="typed"):
            yield Input(max_length=400, compact=True)
            if self.unit:
                yield Static(Content(self.unit), classes="unit")

    def value(self) -> Any:
        text = self.query_one(Input).value.strip()
        if not text:
            raise ValueError("Type an answer first.")
        return text

    def start(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.HandedIn())

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())


class FillField(Field):
    """Blanks in code or text; what is typed appears in its place at once."""

    help = "type each blank · Enter goes to the next, then hands in · Tab moves"

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.source, self.is_code = question.code or question.text, bool(question.code)
        self.blanks = len(question.answer)

    def compose(self) -> ComposeResult:
        yield Static(self._filled([""] * self.blanks), classes="code")
        for number in range(1, self.blanks + 1):
            with Horizontal(classes="typed"):
                yield Static(Content(f"{number} "), classes="blank-number")
                yield Input(max_length=200, compact=True)

    @property
    def inputs(self) -> list[Input]:
        return list(self.query(Input))

    def value(self) -> Any:
        values = [box.value.strip() for box in self.inputs]
        if "" in values:
            raise ValueError(f"Blank {values.index('') + 1} is still empty.")
        return values

    def start(self) -> None:
        self.inputs[0].focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        place = self.inputs.index(event.input)
        if place + 1 < self.blanks:
            self.inputs[place + 1].focus()
        else:
            self.post_message(self.HandedIn())

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(".code", Static).update(self._filled([box.value for box in self.inputs]))
        self.post_message(self.Changed())

    def _filled(self, values: list[str]) -> Content:
        """The text with what was typed so far, or the blank's number, in each blank's place."""
        text, places, end = "", [], 0
        source = self.source.strip("\n")
        for blank in _BLANK.finditer(source):
            number = int(blank[1])
            text += source[end : blank.start()]
            end = blank.end()
            typed = visible(values[number - 1]) if 1 <= number <= len(values) else ""
            shown = typed or f"‹{number}›"
            places.append((len(text), len(text) + len(shown)))
            text += shown
        text += source[end:]
        content = highlight.code(text) if self.is_code else Content(text)
        for start, stop in places:
            content = content.stylize("bold underline $accent", start, stop)
        return content


class WrittenField(Field, can_focus=True):
    """An answer in one's own words. Enter is a line end in it: Esc leaves the text, then Enter."""

    help = "write · F2, or Esc and Enter, hands in"

    def compose(self) -> ComposeResult:
        yield TextArea(soft_wrap=True, tab_behavior="focus", compact=True)

    def value(self) -> Any:
        text = self.query_one(TextArea).text.strip()
        if not text:
            raise ValueError("Write a sentence first: comparing is worth little without one.")
        return text[:20_000]

    def start(self) -> None:
        self.query_one(TextArea).focus()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())

    def on_key(self, event: events.Key) -> None:
        writing = not self.has_focus
        if event.key in ("f2", "ctrl+s") or (event.key == "enter" and not writing):
            self.post_message(self.HandedIn())
        elif event.key == "escape" and writing:
            self.focus()
        else:
            return
        event.stop()


class PointsField(OptionsField):
    """After an answer of one's own: tick the points of a good answer that it named."""

    def __init__(self, points: tuple[str, ...]) -> None:
        super().__init__({str(n): text for n, text in enumerate(points, 1)}, many=True)
        self.help = "tick what your answer named · Enter goes on"

    def value(self) -> Any:
        return [int(key) for key in self.options if key in self.chosen]

    def reveal(self, question: Question, value: Any) -> None:
        self.disabled = True


class ConfidenceField(Field, can_focus=True):
    """How sure one is, 1 to 5, before anything is revealed. Enter skips it."""

    class Chosen(Message):
        def __init__(self, confidence: int | None) -> None:
            super().__init__()
            self.confidence = confidence

    class Back(Message):
        """The answer is to be changed after all."""

    def compose(self) -> ComposeResult:
        scale = {1: "guess", 2: "", 3: "half", 4: "", 5: "certain"}
        parts: list[tuple[str, str]] = [("How sure are you? ", "bold")]
        for number, word in scale.items():
            parts += [(f" {number} ", "$accent bold"), (f"{word} " if word else "", "")]
        parts.append((" Enter skips · ← back", "dim"))
        yield Static(Content.assemble(*parts))

    def on_key(self, event: events.Key) -> None:
        if event.key in ("1", "2", "3", "4", "5"):
            self.post_message(self.Chosen(int(event.key)))
        elif event.key == "enter":
            self.post_message(self.Chosen(None))
        elif event.key in ("left", "backspace"):
            self.post_message(self.Back())
        else:
            return
        event.stop()


def field_for(question: Question) -> Field:
    """The field that a question of this kind is answered with; `predict` answers as its `as`."""
    kind = question.as_kind if question.kind == "predict" else question.kind
    match kind:
        case "choice" | "multi":
            return OptionsField(question.options, many=kind == "multi")
        case "order":
            return OrderField(question.items)
        case "match":
            return MatchField(question.left, question.right)
        case "line":
            return LineField(question.code)
        case "fill":
            return FillField(question)
        case "open":
            return WrittenField()
        case _:
            return TypedField(number=kind == "number", unit=question.unit)
