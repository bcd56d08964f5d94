"""The minutes of a day against what its pages and its exercises take. Reads files only."""

from pathlib import Path

import small_course

from tutor.authoring.day_minutes import minutes_warnings, reading_minutes
from tutor.course.catalog.course import Course, open_course


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
    pages = reading_minutes(lesson)
    assert pages == 3
    assert minutes_warnings(with_minutes(root, 10 - pages)) == ()
    (warning,) = minutes_warnings(with_minutes(root, 11 - pages))
    expected = "at least 11: 3 for the pages, 8 for the exercises, found 10"
    assert str(warning).endswith(f"day-01-one.md:1: minutes: expected {expected}")


def test_code_that_is_shown_is_not_counted_as_words(tmp_path: Path) -> None:
    root = small_course.course(tmp_path)
    (path,) = (root / "lessons").glob("day-01*.md")
    rows = "a row of words\n" * 100
    path.write_text(path.read_text().replace("> A note.", f"```text\n{rows}```"))
    lesson = open_course(root).lesson(1)
    assert lesson is not None
    assert reading_minutes(lesson) == 3


def test_the_days_of_the_course_have_room_for_their_parts() -> None:
    assert minutes_warnings(open_course()) == ()
