"""The course of these tests: one exercise of kind "ranks"."""

import shutil
from pathlib import Path

import pytest

from tutor.base import paths

COURSE = Path(__file__).with_name("course")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ranks") / "course"
    shutil.copytree(COURSE, root)
    for folder in ("lessons", "quizzes"):
        (root / folder).mkdir()
    shutil.copy(paths.course_root() / "lessons" / "outline.toml", root / "lessons")
    return root
