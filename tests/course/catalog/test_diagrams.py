"""ASCII diagrams get lines, corners and arrows, and keep their columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.course.catalog.course import open_course
from tutor.course.catalog.diagrams import draw_boxes
from tutor.course.catalog.plain_text import lesson_text


def test_boxes_and_arrows() -> None:
    assert draw_boxes(
        """
  +----+   +---+
  | IR |-->| x |   a -> b
  +----+   +---+
     |
     v
   code <-- end
"""
    ) == (
        """
  ┌────┐   ┌───┐
  │ IR ├──→│ x │   a ─→ b
  └────┘   └───┘
     │
     ↓
   code ←── end
"""
    )


def test_trees_and_forks() -> None:
    assert draw_boxes(
        """
     TITLE
 +-----+-----+
LEFT  MID  RIGHT
 |- yes -> one
 |         more
 `- no
"""
    ) == (
        """
     TITLE
 ┌─────┼─────┐
LEFT  MID  RIGHT
 ├─ yes ─→ one
 │         more
 └─ no
"""
    )


def test_sums_below_each_other_are_no_line() -> None:
    sums = "a   1 write + 1 read\nb   1 write + 1 read\nc   1 write + 1 read"
    assert draw_boxes(sums) == sums


@pytest.mark.parametrize(
    "line",
    [
        "a - b",
        "1e-5 and -3",
        "tutor lesson 3 --plain",
        "k = k + 1",
        "x += 1",
        " +5  +9",
        "v  [ 0. ]",
        "a || b",
        "out |= mask",
        "a >= b",
        "m^2",
        "x < -1",
    ],
)
def test_signs_of_arithmetic_and_options_stay(line: str) -> None:
    assert draw_boxes(line) == line


@given(st.text("+-|<>v^`/\\ ab1\n", max_size=300))
def test_every_column_stays(text: str) -> None:
    drawn = draw_boxes(text).split("\n")
    assert [len(line) for line in drawn] == [len(line) for line in text.split("\n")]


def test_plain_text_has_none_of_them() -> None:
    lesson = open_course().lesson(14)
    assert lesson is not None
    assert not set("─│┌┐└┘├┤┬┴┼→←↓↑") & set(lesson_text(lesson))
