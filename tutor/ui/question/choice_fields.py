"""Fields for answers by choice: options, an order, pairs, a line of code. All keys are plain ones."""

from typing import Any

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from tutor.course.model import AskedQuestion
from tutor.quiz.answer_text import pairing
from tutor.quiz.partial_order import find_broken, pairs_to_keep
from tutor.ui.kit.text import highlight
from tutor.ui.kit.text.inline_markdown import style_inline
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.press import presses
from tutor.ui.question.field import RIGHT, WRONG, ListField, letters


class OptionsField(ListField):
    """A list of options: choose exactly one (`many` is False) or any number."""

    def __init__(self, options: dict[str, str], *, many: bool) -> None:
        keys = letters(list(options))
        super().__init__([style_inline(text) for text in options.values()], keys)
        self.options, self.many = list(options), many
        self.chosen: set[str] = set()
        self.cursor = 0 if many else -1
        self.help = (
            "letters or space tick · Enter: submit"
            if many
            else "a letter or ↑ ↓ chooses · Enter: submit"
        )

    def value(self) -> Any:
        if not self.chosen and not self.many:
            raise ValueError("Choose one first: press its letter.")
        if not self.chosen:
            raise ValueError("Tick at least one: press its letter.")
        return self.marks if self.many else self.marks[0]

    @property
    def marks(self) -> list[str]:
        return [key for key in self.options if key in self.chosen]

    def mark(self, marks: Any) -> None:
        chosen = [key for key in self.options if isinstance(marks, list) and key in marks]
        self.chosen = set(chosen if self.many else chosen[:1])
        if chosen and not self.many:
            self.cursor = self.options.index(chosen[0])

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

    def reveal(self, question: AskedQuestion, value: Any) -> None:
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
                note = Static(style_inline(question.feedback[key]), classes="feedback")
                note.set_class(key in self.chosen, "-mine")
                self.mount(note, after=row)


class PointsField(OptionsField):
    """A list of the points of a good answer. The learner ticks those that the written answer named."""

    def __init__(self, question: AskedQuestion, draft: str = "") -> None:
        points = {str(n): text for n, text in enumerate(question.points, 1)}
        super().__init__(points, many=True)
        self.help = "tick the points you made · Enter goes on"
        self.question = question
        self.take_draft(question, draft)

    @property
    def unfinished(self) -> str | None:
        """The ticks that are not handed in; None if there are no new ones."""
        return None if self.disabled or self.text == self.begun else self.text

    def note_stored(self) -> None:
        """The ticks are in the record, and are new again only when they change."""
        self.begun = self.text

    def value(self) -> Any:
        return [int(key) for key in self.marks]

    def reveal(self, question: AskedQuestion, value: Any) -> None:
        self.disabled = True


class OrderField(ListField):
    """A list to put in order: press the letters in turn, or move the rows with J and K."""

    help = "press letters in order (again to undo) · J/K move a line · Enter: submit"

    def __init__(self, items: dict[str, str]) -> None:
        super().__init__([style_inline(text) for text in items.values()], letters(list(items)))
        self.texts = {key: style_inline(text) for key, text in items.items()}
        self.letter_of = {key: letter for letter, key in self.keys.items()}
        self.placed: list[str] = []

    def list_rows(self) -> list[str]:
        """The placed rows in their order, then the others."""
        return self.placed + [key for key in self.texts if key not in self.placed]

    def value(self) -> Any:
        missing = len(self.texts) - len(self.placed)
        if missing:
            what = "one line has" if missing == 1 else f"{missing} lines have"
            raise ValueError(
                f"{what[0].upper()}{what[1:]} no place yet: press the letters in order."
            )
        return list(self.placed)

    @property
    def marks(self) -> list[str]:
        return list(self.placed)

    def mark(self, marks: Any) -> None:
        known = [key for key in marks if key in self.texts] if isinstance(marks, list) else []
        self.placed = list(dict.fromkeys(known))

    def press(self, key: str) -> bool:
        if key in ("J", "K", "shift+down", "shift+up"):
            self._shift(1 if key in ("J", "shift+down") else -1)
        elif key == "backspace":
            self.placed = self.placed[:-1]
        elif key in self.keys or key in (" ", "space"):
            item = self.keys.get(key) or self.list_rows()[self.cursor]
            if item in self.placed:
                self.placed.remove(item)
            else:
                self.placed.append(item)
            self.cursor = self.list_rows().index(item)
        else:
            return False
        return True

    def _shift(self, steps: int) -> None:
        order = self.list_rows()
        target = self.cursor + steps
        if 0 <= target < len(order):
            order[self.cursor], order[target] = order[target], order[self.cursor]
            self.cursor = target
        self.placed = order

    def draw(self) -> None:
        for row, key in zip(self.rows, self.list_rows(), strict=True):
            place = str(self.placed.index(key) + 1) if key in self.placed else "·"
            row.text = self.texts[key]
            row.refresh(layout=True)
            row.show(f"{place} {self.letter_of[key]}", here=row.index == self.cursor)

    def reveal(self, question: AskedQuestion, value: Any) -> None:
        super().reveal(question, value)
        if question.answer is None:  # a cell computed it; the text below says it
            return
        if value is None:
            self.placed = list(question.answer)
            self.draw()
            return
        broken = find_broken(pairs_to_keep(question), self.placed)
        out_of_order = {key for pair in broken for key in pair}
        for row, key in zip(self.rows, self.placed, strict=True):
            mark, style = (WRONG, "$error") if key in out_of_order else (RIGHT, "$success")
            row.show(f"{mark} {self.letter_of[key]}", style=style)


class MatchField(ListField):
    """Pairs: press the letter of the right item for each left item; the cursor moves on."""

    help = "press a letter to match the marked line · ↑ ↓ move · Enter: submit"

    def __init__(self, left: dict[str, str], right: dict[str, str]) -> None:
        super().__init__([style_inline(text) for text in left.values()], letters(list(right)))
        self.left, self.right = left, right
        self.letter_of = {key: letter for letter, key in self.keys.items()}
        self.picked: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield Static(
            Content("\n").join(
                presses(
                    Content.assemble((f"  {letter}  ", "bold"), style_inline(self.right[key])),
                    letter,
                )
                for letter, key in self.keys.items()
            ),
            classes="right-side",
        )

    def value(self) -> Any:
        missing = len(self.left) - len(self.picked)
        if missing:
            raise ValueError(f"{missing} not matched yet: move there and press a letter.")
        return dict(self.picked)

    @property
    def marks(self) -> dict[str, str]:
        return dict(self.picked)

    def mark(self, marks: Any) -> None:
        known = marks.items() if isinstance(marks, dict) else ()
        self.picked = {a: b for a, b in known if a in self.left and b in self.right}
        self._go_to_open()

    def _go_to_open(self) -> None:
        """Move the cursor to the first line without a partner, if there is one."""
        self.cursor = next(
            (i for i, k in enumerate(self.left) if k not in self.picked), self.cursor
        )

    def press(self, key: str) -> bool:
        here = list(self.left)[self.cursor]
        if key in ("backspace", "delete"):
            self.picked.pop(here, None)
        elif key in self.keys:
            self.picked[here] = self.keys[key]
            self._go_to_open()
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
            return style_inline(text)
        return Content.assemble(
            style_inline(text), (pairing(text), "dim"), style_inline(self.right[partner])
        )

    def reveal(self, question: AskedQuestion, value: Any) -> None:
        super().reveal(question, value)
        if question.answer is None:  # a cell computed it; the text below says it
            return
        if value is None:
            self.picked = dict(question.answer)
            self.draw()
            return
        for row, key in zip(self.rows, self.left, strict=True):
            good = self.picked[key] == question.answer[key]
            mark, style = (RIGHT, "$success") if good else (WRONG, "$error")
            row.show(f"{mark} {self.letter_of[self.picked[key]]}", style=style)


class LineField(ListField):
    """A choice of a line of code by the arrow keys or by its number."""

    help = "↑ ↓ or a line number to choose · Enter: submit"

    def __init__(self, source: str) -> None:
        lines = highlight.colour_code(
            "\n".join(map(make_visible, source.strip("\n").split("\n")))
        ).split("\n")
        super().__init__(list(lines), {})
        self.typed = ""
        self.chosen = False  # an Enter that was meant for the question before chooses no line

    def value(self) -> Any:
        if not self.chosen:
            raise ValueError("Choose a line first: ↑ ↓, its number, or space for the marked one.")
        return self.cursor + 1

    @property
    def marks(self) -> int:
        return self.cursor + 1 if self.chosen else 0

    def mark(self, marks: Any) -> None:
        if isinstance(marks, int) and 1 <= marks <= len(self.rows):
            self.cursor, self.chosen = marks - 1, True

    def move(self, steps: int) -> None:
        self.typed, self.chosen = "", True
        super().move(steps)

    def press(self, key: str) -> bool:
        """Append a digit to the typed number while a line with that number exists."""
        if key in (" ", "space"):
            self.chosen = True
            return True
        if not (key.isdecimal() and key.isascii()):
            return False
        for typed in (self.typed + key, key):
            if 1 <= int(typed) <= len(self.rows):
                self.typed, self.cursor, self.chosen = typed, int(typed) - 1, True
                break
        return True

    def draw(self) -> None:
        for row in self.rows:
            row.show(f"{row.index + 1:>2}", here=row.index == self.cursor)

    def reveal(self, question: AskedQuestion, value: Any) -> None:
        super().reveal(question, value)
        answer = (
            {question.answer} if isinstance(question.answer, int) else set(question.answer or ())
        )
        for row in self.rows:
            number, mine = row.index + 1, row.index + 1 == value
            mark = RIGHT if number in answer else WRONG if mine else " "
            style = {"✓": "bold $success", "✗": "bold $error"}.get(mark, "")
            row.show(f"{number:>2}{mark}", style=style)
            if number in question.tempting:
                note = Static(style_inline(question.tempting[number]), classes="feedback")
                note.set_class(mine, "-mine")
                self.mount(note, after=row)
