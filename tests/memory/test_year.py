"""The schedule earns its place: more is recalled for each minute than with SM-2 or Leitner."""

import pytest
from a_year import SCHEDULES, Rules, compared, table


@pytest.mark.parametrize("minutes", [1.0, 4.0])
def test_more_recall_for_each_minute_of_a_year(minutes: float) -> None:
    """Where minutes are scarce, and where there are plenty."""
    years = compared(minutes, Rules(), seeds=1)
    assert years.keys() == SCHEDULES.keys()
    ours = years["tutor"]
    for name, other in years.items():
        assert other.minutes <= 365 * (minutes + 20 / 60)
        if name != "tutor":
            assert ours.per_minute > 1.03 * other.per_minute, "\n".join(table(minutes, Rules(), 1))
