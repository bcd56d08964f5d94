"""`course` is a valid course in a folder of its own; the program's own files stay out of the way."""

from pathlib import Path

import build
import pytest


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    return build.course(tmp_path / "course")
