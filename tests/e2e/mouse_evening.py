"""An evening with the mouse alone, in the real program on a real terminal: nothing is typed.

Clicks and the wheel go in as a terminal reports them (SGR).
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ptyterm import Terminal

from tutor.course.catalog.course import open_course
from tutor.course.model import Cell, Predict

DOWN, UP = 65, 64  # the wheel, as xterm numbers it


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
        """Turn the wheel until the text is in sight, click it, and wait for all of `then`."""
        self.terminal.settle()  # a page that is about to be drawn anew takes no click
        end = time.monotonic() + seconds
        turns = 0
        while (place := self.find(text)) is None:
            assert time.monotonic() < end, f"{text!r} is not in\n{self.terminal.seen()}"
            self.wheel(DOWN if turns < 40 else UP)
            turns += 1
            self.terminal.settle(0.2)
        column, row = place
        self._report(0, column, row, "M")
        self._report(0, column, row, "m")
        for each in then:
            self.terminal.until(each, seconds)
        return self.terminal.settle()

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
    """Day 1's first section: its prediction given up, its cell run, and on to the second section."""
    lesson = open_course().lesson(1)
    assert lesson is not None
    blocks = lesson.sections[0].blocks
    assert any(isinstance(block, Predict) for block in blocks)
    (cell,) = (block for block in blocks if isinstance(block, Cell))
    hand.click("Day 1", "section 1 of")
    hand.click("x run cell", "I do not know")
    hand.click("I do not know", "x run cell")
    hand.click("x run cell", f"✓ cell {cell.index} of")
    hand.click("n next", "section 2 of")


def quiz(hand: Mouse) -> None:
    """Every question of Day 1: given up by a click, and on to the next one."""
    asked = open_course().quiz(1)
    assert asked is not None
    hand.click("z quiz", "I do not know")
    for _ in asked.questions:
        hand.click("I do not know", "next")
        hand.click("next")
    hand.terminal.until("points")
    hand.click("leave", "section 2 of")


def evening(home: Path, size: tuple[int, int]) -> None:
    with mouse(home, size) as hand:
        hand.terminal.until("How would you like to begin?")
        first_section(hand)
        quiz(hand)
