"""The real application over a small course, a record and a judge of its own."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from reading_course import write_course

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.kit.core.thread_pool import Threads


@pytest.fixture(autouse=True)
def unwarmed_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the judge's processes with the first question instead of with the application.

    They load torch, which costs each test seconds of processor time. Tests of `tests/e2e`, and those
    here that run the program in a terminal, start it as a learner does. The threads are ours all the
    same: those of the standard library keep the worker that ran last, and its screen.
    """

    def threads_only(_: TutorApp) -> None:
        asyncio.get_running_loop().set_default_executor(Threads())

    monkeypatch.setattr(TutorApp, "_warm_judge", threads_only)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TutorApp]:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    course = open_course(write_course(tmp_path / "course"))
    record = open_record(paths.record_file())
    record.settings.set("focus", None)  # not empty: home is the first screen, not the introduction
    judge = Judge(course.root)
    yield TutorApp(course, record, judge)
    judge.close()
    record.close()
