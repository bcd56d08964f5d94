"""The step after a right answer is named for what it is."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tutor.course.catalog.course import open_course
from tutor.course.reading.variants import draw_variant
from tutor.judge.model.verdict import Verdict
from tutor.memory.answers import GivenAnswer
from tutor.memory.record import open_record
from tutor.memory.store.rows import JudgedProgram
from tutor.ui.kit.core.services import Services
from tutor.ui.lab.findings import look_up
from tutor.ui.lab.mode import LabMode
from tutor.ui.lab.next_step import find_next_step


def test_a_day_of_four_exercises_has_another_one_and_not_the_other(tmp_path: Path) -> None:
    course = open_course()
    record = open_record(tmp_path / "record.sqlite3")
    found = find_next_step(course, record, course.exercise("grid_stride_sum"), 3)
    record.close()
    assert found is not None
    label, step = found
    assert label == f"{step.title}, another exercise of Day 3"


def test_a_later_day_begins_with_its_first_exercise_in_the_order_of_the_course(
    tmp_path: Path,
) -> None:
    course = open_course()
    record = open_record(tmp_path / "record.sqlite3")
    quiz = course.quiz(3)
    assert quiz is not None
    for slug in ("add_and_square", "index_2d", "grid_stride_sum"):
        record.activity.attempt(JudgedProgram(slug, "", {}, True, "cpu"))
    for question in quiz.questions:
        record.activity.answer(GivenAnswer(draw_variant(question), None), None, "quiz")
    found = find_next_step(course, record, course.exercise("two_stage_sum"), 3)
    record.close()
    assert found is not None
    assert found[1] == course.exercise("strided_copy")


@pytest.mark.parametrize(
    ("day", "label"),
    [(7, "A product in TF32, any size, milestone 2 of Day 7"), (6, ", another exercise of Day 6")],
)
def test_a_milestone_of_an_earlier_day_leads_to_the_next_milestone_of_its_project(
    tmp_path: Path, day: int, label: str
) -> None:
    course = open_course()
    record = open_record(tmp_path / "record.sqlite3")
    found = find_next_step(course, record, course.exercise("matmul_tiled"), day)
    record.close()
    assert found is not None
    assert found[0].endswith(label)


def test_a_hint_is_offered_after_four_wrong_answers_without_one(tmp_path: Path) -> None:
    course = open_course()
    record = open_record(tmp_path / "record.sqlite3")
    tutor = cast("Services", SimpleNamespace(course=course, record=record))
    exercise, path = course.exercise("vector_add"), tmp_path / "vector_add.py"
    wrong = Verdict(exercise.slug, False, "cpu")
    stuck = []
    for number in range(6):
        if number == 4:
            record.activity.hint_shown(exercise.slug, 1)
        record.activity.attempt(JudgedProgram(exercise.slug, f"# {number}", {}, False, "cpu"))
        stuck.append(look_up(tutor, LabMode(), exercise, path, wrong).stuck)
    record.close()
    assert stuck == [False, False, False, True, False, False]
