"""Each exercise's own solution is right, its starter is not, each wrong answer fails for its reason."""

from pathlib import Path

import pytest
from judging import first_code, judged

from tutor import paths

FOLDERS = sorted(path.parent for path in paths.course_root().glob("kernels/*/exercise.toml"))
WRONG = sorted(path for folder in FOLDERS for path in (folder / "wrong").glob("*.py"))


def verdict(judge, path: Path, exercise: str):
    return judged(judge, path.read_text("utf-8"), exercise)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_solution_is_right(judge, folder):
    found = verdict(judge, folder / "solution.py", folder.name)
    assert found.passed, found.diagnosis
    assert found.diagnosis == ()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_starter_is_wrong_as_it_stands(judge, folder):
    found = verdict(judge, folder / "starter.py", folder.name)
    assert not found.passed
    assert found.diagnosis


@pytest.mark.parametrize("path", WRONG, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_a_wrong_answer_is_rejected_for_its_reason(judge, path):
    found = verdict(judge, path, path.parent.parent.name)
    expected = path.read_text("utf-8").split("\n", 1)[0].removeprefix("# expect: ").strip()
    assert not found.passed
    assert first_code(found) == expected, found.diagnosis
    # The first cause says so in one sentence or more, and in the learner's own lines where it can.
    assert found.diagnosis[0].message.rstrip().endswith((".", "?"))
