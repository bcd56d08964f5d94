"""`quizzes/placement.toml`: mistakes are named, and the shipped one is sound."""

import shutil
from pathlib import Path

import pytest

from tutor.authoring.check import faults
from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.course.catalog.placement import read_placement, suits
from tutor.course.reading.faults import CourseFault


def write(folder: Path, text: str) -> Path:
    path = folder / "placement.toml"
    path.write_text(text)
    return path


@pytest.mark.slow
def test_the_shipped_one_asks_of_every_day_but_checkpoints_and_the_capstone() -> None:
    course = open_course()
    placement = course.placement()
    assert placement is not None
    assert placement.first_kernel in course.exercises()
    questions = [course.question(name) for strand in placement.strands for name in strand.questions]
    days = [day.day for day in course.overview().days if day.written]
    assert [strand.day for strand in placement.strands] == [
        d for d in days if d not in (14, 28, 42, 49, 63, 68, 69, 70)
    ]
    # A topic ends at its first mistake, so who knows nothing is asked one question a topic.
    assert all(2 <= len(strand.questions) <= 4 for strand in placement.strands)
    topics: dict[str, list[int]] = {}
    for strand in placement.strands:
        topics.setdefault(strand.topic, []).append(strand.day)
    assert [day for asked in topics.values() for day in asked] == [s.day for s in placement.strands]
    phase_of = {day.day: day.phase for day in course.days}
    asked_phases = [{phase_of[day] for day in asked} for asked in topics.values()]
    assert all(len(phases) == 1 for phases in asked_phases), "a topic stays in its phase"
    assert set.union(*asked_phases) == set(course.phases)
    for strand in placement.strands:
        assert course.lesson(strand.day) is not None
    for question in questions:
        assert question is not None
        assert suits(question)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[strand]]\nday = 1\nquestions = ['a']\n", "first_kernel"),
        ("first_kernel = 'x'\n", "strand"),
        ("first_kernel = 'x'\n[[strand]]\nday = 0\nquestions = ['a']\n", "day"),
        ("first_kernel = 'x'\n[[strand]]\nday = 1\nquestions = []\n", "questions"),
        ("first_kernel = 'x'\n[[strand]]\nday = 1\nquestions = ['a']\nmore = 1\n", "more"),
        (
            "first_kernel = 'x'\n[[strand]]\nday = 1\nquestions = ['a']\n"
            "[[strand]]\nday = 1\nquestions = ['b']\n",
            "1 again",
        ),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(CourseFault, match=says):
        read_placement(write(tmp_path, text))


def test_the_check_knows_what_can_be_asked(tmp_path: Path) -> None:
    root = tmp_path / "course"
    asked_by_day_1 = "kernels/fused_chain"
    shutil.copytree(paths.course_root() / asked_by_day_1, root / asked_by_day_1)
    for pattern in ("lessons/day-01*.md", "lessons/outline.toml", "quizzes/day-01.toml"):
        for file in paths.course_root().glob(pattern):
            (root / pattern).parent.mkdir(exist_ok=True)
            shutil.copy(file, (root / pattern).parent)
    write(
        root / "quizzes",
        "first_kernel = 'no_such'\n"
        "[[strand]]\nday = 70\nquestions = ['d01-cast-chain']\n"
        "[[strand]]\nday = 1\nquestions = ['d01-nothing', 'd01-heard-below', "
        "'d01-forty-small-ops']\n",
    )
    said = [str(fault) for fault in faults(root) if fault.path.name == "placement.toml"]
    assert len(said) == 5, said
    words = ("no_such", "a day with a lesson", "d01-nothing", "d01-heard-below", "d01-forty")
    for word in words:
        assert any(word in line for line in said), word
