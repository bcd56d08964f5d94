"""The step after a right answer is named for what it is."""

from pathlib import Path

from tutor.course.catalog.course import open_course
from tutor.memory.record import open_record
from tutor.ui.lab.next_step import next_step


def test_a_day_of_four_exercises_has_another_one_and_not_the_other(tmp_path: Path) -> None:
    course = open_course()
    record = open_record(tmp_path / "record.sqlite3")
    found = next_step(course, record, course.exercise("grid_stride_sum"))
    record.close()
    assert found is not None
    label, step = found
    assert label == f"{step.title}, another exercise of Day 3"
