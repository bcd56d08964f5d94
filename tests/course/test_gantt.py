"""Gantt charts: read, refused in a sentence, drawn at any width, and told row by row."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.base.errors import UsageError
from tutor.commands.plain.lesson import describe_figure
from tutor.course.drawing import drawing_of, look_words
from tutor.course.gantt import FILLS, LEAST_COLUMNS, MOST_SPANS, draw_gantt, gantt_of
from tutor.course.model import DrawingLook
from tutor.ui.cells.figure_view import figure_content

SPANS = [
    ("request 0", 0, 8, "prefill 64"),
    ("request 1", 8, 20, "prefill 256"),
    ["request 0", 20, 22, "decode"],  # as JSON has it
    ("request 0", 22, 24, "decode"),
    ("request 1", 22, 24, "decode"),
]
STAGES = [
    ("stage 0", 0, 1, "F0"),
    ("stage 0", 1, 2, "F1"),
    ("stage 1", 1, 2, "F0"),
    ("stage 1", 2, 4, "B0"),
    ("stage 0", 4, 6, "B0"),
]


def drawn(spans: list[Any], width: int, label: str = "ms") -> list[str]:
    lines = draw_gantt(gantt_of(spans, label), width)
    return ["".join(piece.text for piece in line) for line in lines]


def test_labels_are_written_where_they_fit_else_their_numbers() -> None:
    assert drawn(SPANS, 59) == [
        "request 0  prefill 64██████························decode░░",
        "request 1  ················prefill 256█████████████····░░░░",
        "           0                   10                  20 24 ms",
        "██ prefill   ░░ decode",
    ]
    assert drawn(SPANS, 40) == [
        "request 0  64██████············░░░░",
        "request 1  ········prefill 256█··░░",
        "           0                  24 ms",
        "██ prefill   ░░ decode",
    ]
    assert drawn(STAGES, 10, "steps") == drawn(STAGES, LEAST_COLUMNS, "steps")
    assert drawn(STAGES, 40, "steps")[:3] == [
        "stage 0  F0███F1███··········B0░░░░░░░░",
        "stage 1  ·····F0███B0░░░░░░░░··········",
        "         0                      6 steps",
    ]


def test_a_chart_is_told_row_by_row_in_plain_mode() -> None:
    assert describe_figure(gantt_of(SPANS, "ms")) == [
        "Chart of 2 rows from 0 to 24 ms.",
        "  request 0: prefill 64 from 0 to 8; decode from 20 to 24.",
        "    in all: prefill 8, decode 4, nothing 12 ms",
        "  request 1: prefill 256 from 8 to 20; decode from 22 to 24.",
        "    in all: prefill 12, decode 2, nothing 10 ms",
    ]
    many = [("a", 2 * n, 2 * n + 1, f"F{n}") for n in range(9)]
    assert describe_figure(gantt_of(many, "ms"))[1].endswith("F7 from 14 to 15; and 1 more.")
    in_a_row = [("a", n, n + 1, f"F{n}") for n in range(9)]
    assert describe_figure(gantt_of(in_a_row, "ms"))[1:] == ["  a: F0, F1, 6 more, F8 from 0 to 9."]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 4),
            st.floats(0.01, 50),
            st.floats(0, 9),
            st.sampled_from(["A1", "B", "B22", "7"]),
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(20, 140),
)
def test_no_line_is_wider_than_there_is_room(
    steps: list[tuple[int, float, float, str]], width: int
) -> None:
    clock = [0.0] * 5
    spans = []
    for row, length, gap, label in steps:
        start = clock[row] + gap
        clock[row] = start + length
        spans.append((f"row {row}", start, clock[row], label))
    lines = drawn(spans, width)
    rows = {span[0] for span in spans}
    assert max(map(len, lines)) <= max(width, LEAST_COLUMNS)
    assert len({len(line) for line in lines[: len(rows)]}) == 1
    for line in lines[: len(rows)]:  # nothing of a row is lost, however short
        assert set(line[7:]) - {"·"}


def test_each_kind_has_a_look_of_its_own() -> None:
    names = ("F", "B", "W", "send", "recv", "wait")
    chart = gantt_of([("a", n, n + 1, f"{name} {n}") for n, name in enumerate(names)], "ms")
    *_, legend = draw_gantt(chart, 40)
    assert [piece.look for piece in legend if piece.look is not None] == [5]  # the second line
    looks = {str(span.style) for span in figure_content(chart, 120).spans}
    assert len({look.removeprefix("reverse ") for look in looks}) >= len(FILLS)


@pytest.mark.parametrize(
    ("spans", "says"),
    [
        (None, "no list of 1 to"),
        ([], "no list of 1 to"),
        ([("a", 0, 1, "x")] * (MOST_SPANS + 1), "no list of 1 to"),
        ([("a", 1, 1, "x")], "('a', 1, 1, 'x') is no (row, start, end, label)"),
        ([("a", 0, float("nan"), "x")], "is no (row, start, end, label)"),
        ([("a", 0, True, "x")], "is no (row, start, end, label)"),
        ([("a", 0, 1)], "is no (row, start, end, label)"),
        ([("a" * 17, 0, 1, "x")], "is no name of at most 16"),
        ([("a", 0, 1, "\x1b[2J")], "is no name of at most 16"),
        ([("a", 0, 1, "")], "is no name of at most 16"),
        ([(f"a{n}", 0, 1, "x") for n in range(25)], "25 rows, and 24 are drawn"),
        ([("a", n, n + 1, c) for n, c in enumerate("qwertyz")], "7 kinds of labels"),
        ([("a", 0, 2, "x"), ("a", 1, 3, "y")], "a does x to 2 and y from 1"),
    ],
)
def test_what_cannot_be_drawn_is_a_sentence(spans: Any, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        gantt_of(spans, "ms")
    assert says in str(raised.value)


def test_a_cell_asks_for_its_value() -> None:
    look = DrawingLook("gantt", "my_spans", "ms")
    assert look_words(look) == "Draws my spans, over ms."
    assert drawing_of(look, {"my_spans": SPANS}) == gantt_of(SPANS, "ms")
    with pytest.raises(UsageError):
        drawing_of(look, {})
