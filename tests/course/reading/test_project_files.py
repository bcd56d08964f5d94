"""A project's milestones: read in order, and what is wrong with them named by file and line."""

from pathlib import Path

import pytest
from project_course import write_project

from tutor.authoring.check import faults
from tutor.course.catalog.course import open_course
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.lesson import read_lesson


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_project(tmp_path / "course")


def lesson_file(root: Path) -> Path:
    return root / "lessons" / "day-02-project.md"


def change(root: Path, old: str, new: str) -> None:
    text = lesson_file(root).read_text()
    assert old in text
    lesson_file(root).write_text(text.replace(old, new))


def test_milestones_stand_in_the_order_of_the_file(root: Path) -> None:
    lesson = open_course(root).lesson(2)
    assert lesson is not None
    assert [each.exercise for each in lesson.milestones] == ["add_ten", "tail"]
    second = lesson.milestones[1]
    assert (second.change, second.shows) == ("a mask", "Any number of elements.")
    assert second.yardstick == "torch.add"
    assert [f for f in faults(root) if f.field in ("milestone", "exercise")] == []


def test_a_milestone_twice_or_with_an_unknown_field_is_a_mistake(root: Path) -> None:
    change(root, 'exercise = "tail"', 'exercise = "add_ten"\nspeed = 3')
    with pytest.raises(CourseFault) as fault:
        read_lesson(lesson_file(root))
    said = {(each.field, each.found) for each in fault.value.faults}
    assert ("milestone[2].exercise", "add_ten again") in said
    assert any(
        field.startswith("milestone[2]") and "speed" in field + found for field, found in said
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"tail"', '"no_such"', "an exercise of this day or an earlier one"),
        ("day = 2\ntitle", "day = 1\ntitle", "none outside a project"),
    ],
)
def test_the_check_of_a_course_knows_projects(
    root: Path, old: str, new: str, expected: str
) -> None:
    change(root, old, new)
    assert any(expected in f.expected for f in faults(root))


def test_a_milestone_of_a_later_day_is_a_mistake(root: Path) -> None:
    toml = root / "kernels" / "add_ten" / "exercise.toml"
    toml.write_text(toml.read_text("utf-8").replace("day = 1", "day = 3", 1), "utf-8")
    (fault,) = [f for f in faults(root) if f.field == "exercise"]
    assert fault.expected.startswith("an exercise of this day")
    assert "add_ten" in fault.found
    assert fault.line == 7


def test_a_project_without_milestones_is_a_mistake(root: Path) -> None:
    text = lesson_file(root).read_text()
    start, end = text.index("[[milestone]]"), text.index("+++\nRead")
    lesson_file(root).write_text(text[:start] + text[end:])
    assert any("[[milestone]] tables" in f.expected for f in faults(root))
