"""Days as text."""

from collections.abc import Sequence

import pytest

from tutor.base.day_text import format_day_ranges, say_not_written


@pytest.mark.parametrize(
    ("days", "text"),
    [((), ""), ((4,), "4"), ((1, 2), "1, 2"), ((1, 2, 3, 9, 11, 12, 13), "1 to 3, 9, 11 to 13")],
)
def test_days_in_a_row_are_a_range(days: tuple[int, ...], text: str) -> None:
    assert format_day_ranges(days) == text


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ([], ""),
        ([2], "Day 2 is not written yet."),
        ([14, 22], "Days 14 and 22 are not written yet."),
        (range(50, 57), "Days 50 to 56 are not written yet."),
        ([3, *range(50, 57), 60], "Days 3, 50 to 56 and 60 are not written yet."),
    ],
)
def test_days_that_are_not_written_are_said_in_a_sentence(days: Sequence[int], said: str) -> None:
    assert say_not_written(days) == said
