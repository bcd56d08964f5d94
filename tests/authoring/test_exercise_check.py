"""Files of an exercise that do not agree: each mistake is named with its file and line."""

import shutil
from pathlib import Path

import pytest

from tutor.authoring.exercise_check import exercise_faults, exercise_warnings
from tutor.base.paths import course_root
from tutor.course.model import Exercise
from tutor.course.reading.exercise import read_exercise

ROW = """
[[wrong]]
name = "other"
expect = "{expect}"
replace = '{old}'
with = '{new}'
"""


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    folder = tmp_path / "kernels" / "vector_add"
    shutil.copytree(course_root() / "kernels" / "vector_add", folder)
    return read_exercise(folder)


def _add(exercise: Exercise, old: str, new: str, expect: str = "wrong-values") -> None:
    with (exercise.folder / "wrong.toml").open("a") as file:
        file.write(ROW.format(expect=expect, old=old, new=new))


def _said(exercise: Exercise) -> list[str]:
    return [
        str(fault).removeprefix(f"{exercise.folder}/")
        for fault in (*exercise_faults(exercise), *exercise_warnings(exercise))
    ]


def test_an_exercise_of_the_course_has_none(exercise: Exercise) -> None:
    assert _said(exercise) == []


@pytest.mark.parametrize(
    ("old", "new", "expect", "words"),
    [
        ("x + y, mask", "x - y, mask", "no-such", "found 'no-such'"),
        ("x + y, mask", "x - y), mask", "wrong-values", "wrong other: expected Python"),
        ("def add(x: torch.Tensor, y", "def add(x: torch.Tensor, z", "wrong-values", "(x, z)"),
        ("def add(", "def sub(", "wrong-values", "add: expected a function, found none"),
        ("BLOCK = 1024", "BLOCK = (1024)", "wrong-values", "found that of the solution"),
        ("BLOCK = 1024", "BLOCK = 512  # race", "race", "does not name race"),
    ],
)
def test_a_wrong_answer_that_shows_no_mistake(
    exercise: Exercise, old: str, new: str, expect: str, words: str
) -> None:
    line = (exercise.folder / "wrong.toml").read_text().count("\n") + 3
    whole = next(row for row in exercise.solution.read_text().split("\n") if old in row)
    _add(exercise, whole, whole.replace(old, new), expect)
    (said,) = _said(exercise)
    assert said.startswith(f"wrong.toml:{line}: ")
    assert words in said


def test_a_starter_that_is_the_solution(exercise: Exercise) -> None:
    exercise.starter.write_text(exercise.solution.read_text())
    assert "starter.py:1: python: expected less than the solution, found the same program" in (
        _said(exercise)
    )


def test_programs_of_right_answers_and_twists(exercise: Exercise) -> None:
    (exercise.folder / "right" / "none.py").write_text("x = 1\n")
    (exercise.folder / "twists" / "9.py").write_text("def add(x, y):\n    return x\n")
    (exercise.folder / "twists" / "1_again.py").write_text("def add(x, y) return x\n")
    said = _said(exercise)
    assert [row.split(": expected")[0] for row in said] == [
        "right/none.py:1: add",
        "twists/1_again.py:1: python",
        "twists/9.py:1: file name",
    ]


def test_what_reads_badly_is_warned_of(exercise: Exercise) -> None:
    exercise.starter.write_text(exercise.starter.read_text() + f"# {'x' * 60}\n")
    exercise.reference.write_text(exercise.reference.read_text() + "SAID = 'this is *not* so'\n")
    rows = (exercise.folder / "wrong.toml").read_text().split("[[wrong]]")
    (exercise.folder / "wrong.toml").write_text("[[wrong]]".join(rows[:3]))
    said = "\n".join(_said(exercise))
    assert "comment: expected at most 55 columns, half of a wide screen, found 62" in said
    assert "wrong.toml:1: wrong: expected 5 or more wrong answers, found 2" in said
    assert "sentence: expected words without asterisks" in said


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ('text = "returns … of the same shape"\nbroken_by = ["flat_result"]', ""),
        ('text = "Return a new"\nbroken_by = ["flat_result"]', ""),
        ('text = "returns `x - y`"\nbroken_by = ["no_mask"]', "text: expected words of the task"),
        ('text = "same shape … returns"\nbroken_by = ["no_mask"]', "text: expected words of"),
        ('text = "returns"', "broken_by: expected the names of wrong answers that break it"),
        ('text = "returns"\nbroken_by = ["flat"]', "expected a wrong answer of wrong.toml or wr"),
        ('text = "returns"\njudged = false', "task: expected the words 'not judged'"),
    ],
)
def test_a_promise_and_the_task(exercise: Exercise, row: str, words: str) -> None:
    path = exercise.folder / "exercise.toml"
    before = path.read_text()
    path.write_text(f'{before}\n[[promise]]\nid = "other"\n{row}\n')
    said = _said(read_exercise(exercise.folder))
    line = before.count("\n") + 2
    assert [row.split(" other: ")[0] for row in said] == [f"exercise.toml:{line}: promise"] * bool(
        words
    )
    assert all(words in row for row in said)


def test_a_task_that_leaves_its_judge_out_without_a_promise(exercise: Exercise) -> None:
    path = exercise.folder / "exercise.toml"
    text = path.read_text()
    path.write_text(text.replace("keep their values", "keep their values (not judged)", 1))
    (said,) = [row for row in _said(read_exercise(exercise.folder)) if "judged = false" in row]
    assert "promise: expected a promise with `judged = false`" in said


def test_an_exercise_without_promises_is_warned_of(exercise: Exercise) -> None:
    path = exercise.folder / "exercise.toml"
    path.write_text(path.read_text().split("[[promise]]")[0])
    (said,) = _said(read_exercise(exercise.folder))
    assert said == (
        "exercise.toml:1: promise: expected a [[promise]] for each demand of the task, found none"
    )
