"""Plots in characters, of any numbers and in any room."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.ui.kit.text import plots

SIZES = st.tuples(st.integers(0, 130), st.integers(0, 40))
COUNTS = st.lists(st.integers(0, 10**6), max_size=40)
PERCENT = st.floats(0, 100)


def lines(content) -> list[str]:
    return content.plain.split("\n")


def drawn_bars(counts: list[int], width: int, height: int) -> list[str]:
    return lines(plots.bars(counts, width, height, up="cards", across="days"))


@given(COUNTS, SIZES)
def test_bars_keep_to_their_room(counts, size):
    width, height = size
    first, *rest = drawn_bars(counts, width, height)
    assert first == "cards"
    assert len(rest) + 1 == max(3, height - 3) + 3
    assert {len(line) for line in rest} == {max(12, width - plots.LABEL) + plots.LABEL}
    assert rest[-1].endswith("days")


@pytest.mark.slow
@given(COUNTS)
def test_the_longer_bar_is_the_larger_count_and_nothing_is_no_bar(counts):
    rows = drawn_bars(counts, 7 + 2 * 40, 23)[1:-2]
    heights = []
    for number in range(len(counts)):
        at = plots.LABEL + number * max(1, 80 // max(1, len(counts)))
        heights.append(sum(" ▁▂▃▄▅▆▇█".index(row[at]) for row in rows))
    assert [h > 0 for h in heights] == [count > 0 for count in counts]
    by_count = [height for _, height in sorted(zip(counts, heights, strict=True))]
    assert by_count == sorted(heights)


def test_the_labels_are_whole_numbers_up_to_the_largest_count():
    text = drawn_bars([0, 7, 3], 60, 13)
    assert [line[:6].strip() for line in text[1:-2] if line[:6].strip()] == [
        "8",
        "6",
        "4",
        "2",
        "0",
    ]
    assert [line[:6].strip() for line in drawn_bars([], 60, 13)[1:-2] if line[:6].strip()] == [
        "1",
        "0",
    ]


@given(st.lists(st.tuples(PERCENT, PERCENT), max_size=11), SIZES)
def test_points_keep_to_their_room(points, size):
    content = plots.percentages(points, *size, up="right, %", across="said, %")
    first, *rest = lines(content)
    assert first == "right, %"
    assert len({len(line) for line in rest}) == 1
    assert sum(line.count("●") for line in rest) <= len(points)
    assert bool(points) == any("●" in line for line in rest)


def test_points_stand_where_they_belong():
    corners = plots.percentages([(0, 0), (100, 100), (0, 100)], 60, 20, up="y", across="x")
    rows = lines(corners)[1:-2]
    assert (rows[0][plots.LABEL], rows[0][-1], rows[-1][plots.LABEL]) == ("●", "●", "●")
    assert rows[-1][-1] == " "
    on_the_line = {chr(dots) for dots in range(0x2801, 0x2900)}
    assert all(on_the_line & set(row) for row in rows[1:-1])
