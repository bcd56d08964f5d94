"""Exercises of kind "schedule": a course of a test's own, judged by the real judge."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from judging import judged

from tutor.base import paths
from tutor.base.errors import CannotHere
from tutor.course.catalog.course import open_course
from tutor.course.reading.exercise import read_exercise
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.wrong_answers import read_wrong_answers
from tutor.judge.client import Judge
from tutor.xray.model.compiler import TVM

COURSE = Path(__file__).with_name("course")
SLUG = "tile_the_product"
PUZZLE = """

def wanted(schedule):
    block = schedule.get_sblock("C")
    i, _, _ = schedule.get_loops(block)
    schedule.bind(i, "blockIdx.x")
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test's exercise, and a puzzle made of it."""
    root = tmp_path_factory.mktemp("schedules") / "course"
    shutil.copytree(COURSE, root)
    for folder in ("lessons", "quizzes"):
        (root / folder).mkdir()
    shutil.copy(paths.course_root() / "lessons" / "outline.toml", root / "lessons")
    with (root / "kernels" / SLUG / "reference.py").open("a") as file:
        file.write("\nCASES = CASES[:2]\n")
    puzzle = root / "kernels" / "bind_the_rows"
    shutil.copytree(root / "kernels" / SLUG, puzzle)
    with (puzzle / "algorithm.py").open("a") as file:
        file.write(PUZZLE)
    with (puzzle / "reference.py").open("a") as file:
        file.write(
            "\nfrom tutor.judge.spec import Bound, SameAs\n"
            'PROPERTIES = (Bound("C", {"blockIdx.x": None}), SameAs())\nCASES = CASES[:1]\n'
        )
    return root


@pytest.fixture(scope="module")
def schedules(home: Path, course: Path) -> Iterator[Judge]:
    with Judge(course) as judge:
        yield judge


# What each wrong answer is told, and the line that is named.
WRONG = {
    "tiles_of_4": ("8 (`i_1`), 8 (`k_1`), 4 (`j_1`) times", None),
    "not_parallel": ("`i_0`, is serial. Asked for: parallel", None),
    "not_vectorized": ("`j_1`, is serial. Asked for: vectorized", None),
    "adds_in_a_vector": ("add to the same cell", 12),
    "copies_a_column_of_tiles": ("`B_local` takes 512 bytes", None),
    "copies_nothing": ("`B` is not in local memory", None),
}
needs_tvm = pytest.mark.skipif(not TVM.is_here(), reason="TVM is an extra")


@needs_tvm
@pytest.mark.slow
def test_a_schedule_is_judged_by_what_it_computes_and_by_its_loops(
    schedules: Judge, course: Path
) -> None:
    exercise = open_course(course).exercise(SLUG)
    assert judged(schedules, exercise.solution.read_text("utf-8"), SLUG).passed
    answers = {answer.name: answer for answer in read_wrong_answers(exercise.folder)}
    assert answers.keys() == WRONG.keys()
    for name, (words, line) in WRONG.items():
        found = judged(schedules, answers[name].code, SLUG).diagnosis[0]
        assert (found.code, found.line) == (answers[name].expect, line)
        assert words in found.message
        assert "schedule.py, line" not in found.message


@needs_tvm
@pytest.mark.slow
def test_a_puzzle_wants_equal_loops_and_bound_ones_are_run_here(schedules: Judge) -> None:
    start = 'def tile(schedule):\n    i, j, k = schedule.get_loops(schedule.get_sblock("C"))\n'
    right = judged(schedules, f'{start}    schedule.bind(i, "blockIdx.x")\n', "bind_the_rows")
    assert right.passed
    other = f'{start}    schedule.bind(j, "blockIdx.x")\n'
    (found,) = judged(schedules, other, "bind_the_rows").diagnosis[:1]
    assert found.code == "wrong-schedule"
    assert "First `for i in range(16):` differs" in found.message
    more = f'{start}    schedule.bind(i, "blockIdx.x")\n    schedule.bind(j, "threadIdx.x")\n'
    (found,) = judged(schedules, more, "bind_the_rows").diagnosis[:1]
    assert "bound to `threadIdx.x`, which was not asked for" in found.message


@pytest.mark.skipif(TVM.is_here(), reason="TVM is here")
def test_without_tvm_an_exercise_is_read_and_not_judged(schedules: Judge, course: Path) -> None:
    with pytest.raises(CannotHere, match=r"but not judged.*pip install"):
        judged(schedules, open_course(course).exercise(SLUG).solution.read_text("utf-8"), SLUG)


def test_a_schedule_says_that_it_needs_tvm(course: Path, tmp_path: Path) -> None:
    folder = tmp_path / SLUG
    shutil.copytree(course / "kernels" / SLUG, folder)
    text = (folder / "exercise.toml").read_text("utf-8")
    (folder / "exercise.toml").write_text(text.replace('needs = ["tvm"]', "needs = []"))
    with pytest.raises(CourseFault, match="tvm"):
        read_exercise(folder)
