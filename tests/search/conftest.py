"""`course` as in `tests/course`."""

from pathlib import Path

import pytest
import small_course


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    return small_course.course(tmp_path / "course")
