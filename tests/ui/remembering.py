"""A small course with a checkpoint, a record whose clock the test moves, and an application for both."""

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from doing import Host
from run_home import share_judge

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge
from tutor.memory.record import open_record

FILES = Path(__file__).parents[1] / "quiz" / "checkpoint_course"


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 20, 12, tzinfo=timezone(timedelta(hours=1)))

    def __call__(self) -> datetime:
        return self.now

    def forward(self, days: int) -> None:
        self.now += timedelta(days=days)


class Reader(Host):
    """`opened`: the days whose lessons were asked for; `sections`: the sections of these, or "" each."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        course = open_course(folder)
        record = open_record(paths.record_file(), clock)
        super().__init__(course, record, Judge(course.root))
        self.clock = clock
        self.opened: list[int] = []
        self.sections: list[str] = []

    def open(self, target: str, *details: Any, replace: bool = False) -> None:
        kind, _, name = target.partition(":")
        if kind == "lesson":
            day, _, section = name.partition("/")
            self.opened.append(int(day))
            self.sections.append(section)
        else:
            super().open(target, *details, replace=replace)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """Over the checkpoint course with one real exercise. Its judge is seldom asked for anything."""
    paths.ensure(tmp_path / "home")
    monkeypatch.setenv("TUTOR_HOME", str(share_judge(tmp_path / "home")))
    folder = tmp_path / "course"
    shutil.copytree(FILES, folder)
    shutil.copytree(paths.course_root() / "kernels" / "vector_add", folder / "kernels/vector_add")
    reader = Reader(folder, Clock())
    yield reader
    reader.judge.close()
    reader.record.close()
