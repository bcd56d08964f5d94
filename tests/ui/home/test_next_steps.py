"""The day that home offers to go on with."""

from datetime import date
from pathlib import Path

from clock import Clock

from tutor.course.catalog.course import open_course
from tutor.memory.placement import read_standing
from tutor.memory.record import open_record
from tutor.ui.home.next_steps import find_steps


def test_home_goes_on_with_the_day_that_was_read_last(tmp_path: Path) -> None:
    overview, clock = open_course().overview(), Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)

    def day_to_read() -> int:
        steps = find_steps(overview, record, read_standing(record), date(2026, 11, 20))
        assert steps.reading is not None
        return steps.reading.day.day

    for section in range(3):
        record.activity.section_read(1, section)
    clock.forward(minutes=1)
    record.activity.section_read(3, 0)
    assert day_to_read() == 1, "one page of another day does not displace a begun one"
    record.activity.section_read(3, 1)
    assert day_to_read() == 3
    clock.forward(minutes=1)
    record.activity.set_position(1, 2)
    assert day_to_read() == 1
    record.close()
