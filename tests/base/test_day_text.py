"""Days as text."""

import pytest

from tutor.base.day_text import format_day_ranges


@pytest.mark.parametrize(
    ("days", "text"),
    [((), ""), ((4,), "4"), ((1, 2), "1, 2"), ((1, 2, 3, 9, 11, 12, 13), "1 to 3, 9, 11 to 13")],
)
def test_days_in_a_row_are_a_range(days: tuple[int, ...], text: str) -> None:
    assert format_day_ranges(days) == text
