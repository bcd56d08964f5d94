"""The schedule earns its place: more is recalled for each minute than with SM-2 or Leitner."""

import pytest
from a_year import SCHEDULES, Rules, compared, table


@pytest.mark.slow
def test_more_recall_for_each_minute_of_a_year() -> None:
    years = compared(4.0, Rules(), seeds=2)
    assert years.keys() == SCHEDULES.keys()
    for name, other in years.items():
        assert other.minutes <= 365 * (4.0 + 20 / 60)
        if name != "tutor":
            shown = "\n".join(table(4.0, Rules(), 2))
            assert years["tutor"].per_minute > 1.03 * other.per_minute, shown
