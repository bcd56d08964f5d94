"""The minutes of a day against what its pages and its exercises take. Reads files only."""

from pathlib import Path

import pytest
import small_course

from tutor.authoring.check import faults
from tutor.authoring.day_minutes import minutes_warnings
from tutor.course.catalog.course import Course, open_course
from tutor.course.catalog.day_minutes import pages_minutes, quiz_minutes


def with_minutes(root: Path, exercise: int) -> Course:
    text = root / "kernels" / "add" / "exercise.toml"
    rows = text.read_text().splitlines()
    rows = [f"minutes = {exercise}" if row.startswith("minutes") else row for row in rows]
    text.write_text("\n".join(rows) + "\n")
    return open_course(root)


def test_pages_and_exercises_fit_into_the_minutes_of_their_day(tmp_path: Path) -> None:
    root = small_course.course(tmp_path)  # ten minutes, a cell and a prediction
    lesson = open_course(root).lesson(1)
    assert lesson is not None
    assert pages_minutes(lesson) == 3
    assert quiz_minutes(open_course(root).quiz(1)) == 1
    assert minutes_warnings(with_minutes(root, 6)) == ()
    (warning,) = minutes_warnings(with_minutes(root, 7))
    expected = "at least 11: 3 for the pages, 7 for the exercises, 1 for the quiz, found 10"
    assert str(warning).endswith(f"day-01-one.md:1: minutes: expected {expected}")


def test_code_that_is_shown_is_not_counted_as_words(tmp_path: Path) -> None:
    root = small_course.course(tmp_path)
    (path,) = (root / "lessons").glob("day-01*.md")
    rows = "a row of words\n" * 100
    path.write_text(path.read_text().replace("> A note.", f"```text\n{rows}```"))
    lesson = open_course(root).lesson(1)
    assert lesson is not None
    assert pages_minutes(lesson) == 3


def test_a_long_day_has_sittings(tmp_path: Path) -> None:
    root = small_course.course(tmp_path)
    (path,) = (root / "lessons").glob("day-01*.md")
    text = path.read_text().replace("minutes = 10", "minutes = 160")
    more = "## More\n{}\nNow write it: exercise `add`.\n"
    path.write_text(text + more.format(""))
    (warning,) = minutes_warnings(with_minutes(root, 5))
    assert str(warning).endswith(
        "sitting: expected at most 120 minutes a sitting of a day of 160, found 160 in sitting 1"
    )
    path.write_text(text + more.format("sitting = 2\n"))
    assert minutes_warnings(with_minutes(root, 5)) == ()
    day = open_course(root).overview().days[0]
    assert day.sitting_minutes == (40, 120)  # a quarter is in the first pages
    last = len(day.sections) - 1
    assert day.sitting_ends == (last - 1, last)
    assert day.sitting_words(0) == "sitting 1 of 2, 40 min"
    assert day.sitting_words(last) == "sitting 2 of 2, 120 min"
    lesson = open_course(root).lesson(1)
    assert lesson is not None
    assert "sitting = 2" not in str(lesson.sections[-1].blocks)
    path.write_text(text + more.format("sitting = 3\n"))
    assert any("sitting: expected sitting = 2" in str(fault) for fault in faults(root))


@pytest.mark.slow
def test_the_days_of_the_course_have_room_for_their_parts() -> None:
    assert minutes_warnings(open_course()) == ()
