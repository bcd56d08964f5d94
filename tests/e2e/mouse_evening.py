"""An evening with the mouse alone, in the real program on a real terminal: no key is pressed.

Clicks, drags and the wheel go in as a terminal reports them (SGR). Words, numbers and the text of the
kernel are pasted, which a mouse does with its middle button.
"""

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ptyterm import Terminal

from tutor.course.catalog.course import open_course
from tutor.course.model import Cell, Predict, Question
from tutor.quiz.numbers import show_number

DOWN, UP = 65, 64  # the wheel, as xterm numbers it
MOVED = 32  # while the left button is down
SLUG = "add_ten"
STARTER = "   pass"
BODY = """\
   offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + 10)"""
COMPUTED = {"d01-heard-below": "1", "d01-static-shapes": "3"}  # predictions, which may be wrong


class Mouse:
    """A hand on a mouse in front of the program."""

    def __init__(self, home: Path, columns: int, rows: int) -> None:
        self.terminal = Terminal(columns, rows, home)
        self._size = (columns, rows)

    def find(self, text: str) -> tuple[int, int] | None:
        """Column and row of a text on the screen, from 1; the last one if it stands there often."""
        for row, line in reversed(list(enumerate(self.terminal.screen.display, 1))):
            if (column := line.rfind(text)) >= 0:
                return column + 1, row
        return None

    def click(self, text: str, *then: str, seconds: float = 90) -> str:
        """Turn the wheel until the text is in sight, click it, and wait for all of `then`.

        Where a turn moves nothing, the page ends; the next one goes the other way.
        """
        self.terminal.settle(0.4)  # a busy machine draws a page and its last line apart
        end = time.monotonic() + seconds
        way = DOWN
        while (place := self.find(text)) is None:
            assert time.monotonic() < end, f"{text!r} is not in\n{self.terminal.seen()}"
            self.wheel(way)
            if not self.terminal.drawn(0.5):
                way = UP if way == DOWN else DOWN
        self.click_at(*place)
        self.terminal.drawn(1.0)
        for each in then:
            self.terminal.until(each, seconds)
        return self.terminal.settle()

    def click_at(self, column: int, row: int) -> None:
        self._report(0, column, row, "M")
        self._report(0, column, row, "m")

    def drag(self, text: str) -> str:
        """Mark a text that is in sight."""
        column, row = self.find(text) or self._missing(text)
        self._report(0, column, row, "M")
        self._report(MOVED, column + len(text), row, "M")
        self._report(0, column + len(text), row, "m")
        return self.terminal.settle()

    def paste(self, text: str) -> str:
        self.terminal.press(f"\x1b[200~{text}\x1b[201~")
        return self.terminal.settle()

    def until_match(self, pattern: str, seconds: float = 120) -> str:
        end = time.monotonic() + seconds
        while not re.search(pattern, self.terminal.seen()):
            assert time.monotonic() < end, f"{pattern!r} is not in\n{self.terminal.seen()}"
            self.terminal.settle(0.1)
        return self.terminal.settle()

    def _missing(self, text: str) -> tuple[int, int]:
        raise AssertionError(f"{text!r} is not in\n{self.terminal.seen()}")

    def wheel(self, button: int) -> None:
        self._report(button, self._size[0] // 2, self._size[1] // 2, "M")

    def _report(self, button: int, column: int, row: int, end: str) -> None:
        self.terminal.press(f"\x1b[<{button};{column};{row}{end}")


@contextmanager
def mouse(home: Path, size: tuple[int, int]) -> Iterator[Mouse]:
    """Leaves no process behind."""
    one = Mouse(home, *size)
    try:
        yield one
    finally:
        one.terminal.close()


def first_section(hand: Mouse) -> None:
    """Day 1's first section: its prediction written, its cell run, and on to the second section."""
    lesson = open_course().lesson(1)
    assert lesson is not None
    blocks = lesson.sections[0].blocks
    (asked,) = (block.question for block in blocks if isinstance(block, Predict))
    assert asked.kind == "open"
    assert [block for block in blocks if isinstance(block, Cell)]
    hand.click("Day 1", "section 1 of")
    hand.click("x run cell", "I do not know")  # leads to the question
    hand.paste("About three times as long: each operation is a pass over the memory.")
    hand.click("▸ Submit", "Noted.")  # a riddle, which a later section solves
    hand.click("x run cell")
    hand.until_match(r"one [\d.]+ ms   three [\d.]+ ms   ratio \d")  # what the cell prints
    hand.click("n next", "section 2 of")


def quiz(hand: Mouse) -> None:
    """Every question of Day 1 answered by clicks and pastes, none given up."""
    asked = open_course().quiz(1)
    assert asked is not None
    hand.click("? …", "Enter runs it")  # the rest of the keys
    hand.click("This day's questions", "I do not know")
    for question in asked.questions:
        answer(hand, question)
        hand.click("▸ Submit", "5 certain")
        hand.click("5 certain")
        if question.kind == "open":
            hand.terminal.until("Which of these points did you make?")
            for point in question.points:
                hand.click(words(point))
            hand.click("▸ Submit")
        hand.click("next")
    hand.terminal.until("points")
    hand.click("leave", "section 2 of")


def answer(hand: Mouse, question: Question) -> None:
    """The right answer; of a prediction or an answer in words, any."""
    right = question.answer
    match question.kind:
        case "choice":
            hand.click(words(question.options[right]))
        case "multi":
            for key in right:
                hand.click(words(question.options[key]))
        case "order":
            for key in right:
                hand.click(words(question.items[key]))
        case "match":
            for left, partner in right.items():
                hand.click(words(question.left[left]))
                hand.click(words(question.right[partner]))
        case "line":
            hand.click(words(question.code.split("\n")[right - 1]))
        case "number":
            hand.paste(show_number(right))
        case "predict":
            hand.paste(COMPUTED[question.id])
        case "open":
            hand.paste("Launches dominate: an operation of this size waits for its launch.")
        case "fill":
            hand.paste(right[0])
            for number, text in enumerate(right[1:], 2):
                row = next(
                    row
                    for row, line in enumerate(hand.terminal.screen.display, 1)
                    if re.match(rf"\W*{number}  ", line)
                )
                hand.click_at(12, row)
                hand.paste(text)
        case kind:
            raise AssertionError(kind)


def words(markdown: str) -> str:
    """The beginning of a text as it stands on the screen, short enough not to be broken."""
    return markdown.strip().replace("`", "").replace("**", "")[:24].rstrip()


def kernel(hand: Mouse) -> None:
    """Day 22's first kernel, from the map: its text pasted over the line to replace, and judged."""
    hand.click("q home", "m  I ")
    hand.click("m map", "Enter opens one")
    hand.click("Triton Language Basics", "section 1 of")
    hand.click("? …", "Enter runs it")
    hand.click("This day's exercises", f"{SLUG} ")
    hand.click(f"{SLUG} ", "^s check")
    if not hand.find(STARTER):
        hand.click("i edit", STARTER)  # there is room for one
    hand.drag(STARTER)
    hand.paste(BODY)
    hand.click("^s check", "✓ Right", seconds=300)


def evening(home: Path, size: tuple[int, int]) -> None:
    with mouse(home, size) as hand:
        hand.terminal.until("How would you like to begin?")
        first_section(hand)
        quiz(hand)
        kernel(hand)
