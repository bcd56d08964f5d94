"""Drawings of a cell's values: read, refused in a sentence, told in words, and drawn."""

from typing import Any

import pytest

from tutor.base.errors import UsageError
from tutor.course.drawing import Bars, Grid, drawing_of, drawing_words
from tutor.course.model import DrawingLook
from tutor.course.reading.lesson import figure_of_words
from tutor.ui.cells.figure_view import WIDTH, figure_content

BARS, GRID = DrawingLook("bars", "timeline", "cycles"), DrawingLook("grid", "tiles")
WARPS = {"warp 0": [(0, 4, "works"), (4, 24, "waits")], "warp 1": [(4, 8, "works")]}


def test_bars_in_words_and_drawn() -> None:
    bars = drawing_of(BARS, {"timeline": WARPS})
    assert isinstance(bars, Bars)
    assert drawing_words(bars) == [
        "Bars from 0 to 24 cycles.",
        "  warp 0: works 0 to 4, waits 4 to 24",
        "  warp 1: works 4 to 8",
    ]
    first, second, axis, legend = figure_content(bars).plain.split("\n")
    columns = WIDTH - len("warp 0  ")
    assert first == "warp 0  " + "█" * round(columns / 6) + "░" * (columns - round(columns / 6))
    assert second.count("█") in (10, 11)
    assert axis.split() == ["0", "24", "cycles"]
    assert legend == "██ works   ░░ waits"


def test_a_grid_in_words_and_drawn() -> None:
    grid = drawing_of(GRID, {"tiles": {"A": [[0, 1], [None, None]], "C": [["x"]]}})
    assert isinstance(grid, Grid)
    assert drawing_words(grid) == ["A, 2 rows:", "  0 1", "  . .", "C, 1 rows:", "  x"]
    drawn = figure_content(grid)
    assert [row.rstrip() for row in drawn.plain.split("\n")] == ["A      C", "0 1    x", "· ·"]
    assert len({str(span.style) for span in drawn.spans}) >= 4  # a colour for each mark


@pytest.mark.parametrize(
    ("look", "value", "says"),
    [
        (BARS, None, "timeline is no dict"),
        (BARS, {"w": [(4, 4, "works")]}, "(4, 4, 'works') of w is no (from, to, kind)"),
        (BARS, {"w": [(0, float("nan"), "works")]}, "is no (from, to, kind)"),
        (BARS, {"w": 3}, "is no (from, to, kind)"),
        (BARS, {"w": []}, "0 kinds of bars"),
        (BARS, {f"w{n}": [(0, 1, "a")] for n in range(99)}, "99 lanes"),
        (BARS, {"w" * 99: [(0, 1, "a")]}, "is not a name"),
        (BARS, {"w": [(0, 1, "\x1b[2J")]}, "is not a kind"),
        (GRID, {"A": [[]]}, "A is no table"),
        (GRID, {"A": [["long"]]}, "is not a mark"),
        (GRID, {"A": 3}, "A is no table"),
    ],
)
def test_what_cannot_be_drawn_is_a_sentence(look: DrawingLook, value: Any, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        drawing_of(look, {look.name: value})
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("words", "odd"),
    [
        (["bars=t", "x=cycles"], ""),
        (["grid=t"], ""),
        (["gantt=t", "x=ms"], ""),
        (["gantt=t"], "bars= and gantt= with x= alone"),
        (["bars=t"], "bars= and gantt= with x= alone"),
        (["grid=t", "x=k"], "bars= and gantt= with x= alone"),
        (["grid=3"], "grid=3, which is no name"),
        (["bars=t", "plot=a,b"], "two figures"),
    ],
)
def test_the_words_of_a_fence(words: list[str], odd: str) -> None:
    figure, found = figure_of_words(words, "")
    assert found.startswith(odd)
    assert bool(odd) or isinstance(figure, DrawingLook)
