"""The calendar of reviews has months above its weeks and says what its shades mean."""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from tutor.memory.record import open_record
from tutor.ui.review.statistics_text import draw_calendar

TODAY = date(2026, 3, 18)


def test_months_stand_above_their_first_weeks_and_shades_are_explained(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3")
    found = record.statistics.compute(TODAY)
    record.close()
    found = replace(found, answered={TODAY: 16, TODAY - timedelta(days=1): 3})
    rows = draw_calendar(found, 12).plain.split("\n")
    assert rows[0].split()[-2:] == ["Feb", "Mar"]
    march = rows[0].index("Mar")
    weeks_back = (TODAY - timedelta(days=TODAY.weekday()) - date(2026, 3, 2)).days // 7
    assert march == 4 + 2 * (11 - weeks_back)
    assert rows[-1].strip() == "answers a day, at most: · 0  ░ 4  ▒ 8  ▓ 12  █ 16"


def test_few_reviews_have_no_shade_twice(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3")
    found = replace(record.statistics.compute(TODAY), answered={TODAY: 2})
    record.close()
    legend = draw_calendar(found, 12).plain.split("\n")[-1]
    assert legend.strip() == "answers a day, at most: · 0  ▒ 1  █ 2"


def test_the_month_of_a_week_that_begins_in_it_is_named_at_once(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3")
    found = record.statistics.compute(date(2026, 6, 2))  # a Tuesday
    record.close()
    assert draw_calendar(found, 12).plain.split("\n")[0].split()[-2:] == ["May", "Jun"]
