"""The real application over a small course, an application over the real one, and their judge."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doing import Host
from reading_course import write_course
from run_home import run_home, share_judge
from textual import app as app_module
from textual import pilot as pilot_module

from tutor.base import own_files, paths
from tutor.course.catalog import overview
from tutor.course.catalog.course import Course, open_course
from tutor.doctor import quick_checks
from tutor.judge.client import Judge
from tutor.memory import course_sync
from tutor.memory.record import open_record
from tutor.memory.schedule.course_items import Item
from tutor.memory.store import connection
from tutor.search import index
from tutor.ui.app import TutorApp
from tutor.ui.kit.core import gc_tuning
from tutor.ui.kit.core.thread_pool import Threads

# After each key Textual's pilot waits until this process is idle: until it has used less than 1 ms of
# 20 ms, for a second at most. Half the tests' time was spent there, while a thread read the judge. And
# on a loaded machine a process that gets no time looks idle, with the key's messages still before it.
_GRANULARITY, _IDLE = 0.01, 0.002
_FRAME = 1 / 60  # a screen that has changed is drawn within this time


async def wait_for_idle(min_sleep: float = 0.02, max_sleep: float = 1.0) -> None:
    """Wait until nothing is left to do: no message, nothing that is due before the next frame, and
    little processor time used by a thread."""
    loop: Any = asyncio.get_running_loop()
    began = time.monotonic()
    idle = False
    while not idle or time.monotonic() - began < min_sleep:
        used = time.process_time()
        await asyncio.sleep(_GRANULARITY)
        waited = time.monotonic() - began
        if waited > max_sleep and (not loop._ready or waited > 10 * max_sleep):
            return
        soon = loop.time() + _FRAME
        due = any(each.when() < soon and not each.cancelled() for each in loop._scheduled)
        idle = not loop._ready and not due and time.process_time() - used < _IDLE


app_module.wait_for_idle = pilot_module.wait_for_idle = wait_for_idle


@pytest.fixture(autouse=True)
def no_update(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who edits a module while the tests run has not updated what they show."""
    monkeypatch.setattr(own_files, "have_changed", lambda: False)


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


@pytest.fixture(autouse=True)
def unchecked_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The introduction compiles kernels in two processes, to see what this machine can do. Only the
    first test of `test_first_run.py` waits for what they find."""
    monkeypatch.setattr(quick_checks, "run_slow_checks", lambda _: ())


@pytest.fixture(autouse=True)
def no_idle_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that waits for two seconds is no learner who reads: a full collection visits all that
    other tests have imported. `test_gc_tuning.py` asks for it itself."""
    monkeypatch.setattr(gc_tuning, "PAUSE_SECONDS", 3600.0)
    monkeypatch.setattr(gc_tuning, "IDLE_SECONDS", 7200.0)


@pytest.fixture(autouse=True)
def one_course_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make what is made from the course's files alone once in a run, not in the home of each test."""
    folder = run_home() / "cache"
    named = overview.cache_file

    def cache_file(root: Path, name: str, suffix: str) -> Path:
        return folder / named(root, name, suffix).name

    monkeypatch.setattr(overview, "cache_file", cache_file)
    monkeypatch.setattr(index, "cache_file", cache_file)
    monkeypatch.setattr(course_sync, "items", items_of)


_read_items = course_sync.items
_items: dict[str, tuple[Item, ...]] = {}


def items_of(course: Course) -> tuple[Item, ...]:
    """The cards of a course, read once for each state of its files. To read them all, and to find the
    section of each, takes a second and a half, and each new record asks for them."""
    stamp = course_sync._stamp(course)
    if stamp not in _items:
        _items[stamp] = _read_items(course)
    return _items[stamp]


@pytest.fixture(autouse=True)
def no_wait_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here cuts the power."""
    monkeypatch.setattr(connection, "SYNCHRONOUS", "OFF")


@pytest.fixture(scope="session")
def shared_judge() -> Iterator[Judge]:
    """One server for all tests: its start loads torch, and a warm one runs a cell at once."""
    with Judge(open_course().root) as running:
        yield running


@pytest.fixture
def judge(shared_judge: Judge, monkeypatch: pytest.MonkeyPatch) -> Iterator[Judge]:
    """The shared server. Each application here would end it when it ends."""
    monkeypatch.setattr(TutorApp, "close_judge", lambda _: end_calls(shared_judge))
    yield shared_judge
    end_calls(shared_judge)


def end_calls(judge: Judge) -> None:
    """Stop the call that is left, if need be with the server."""
    judge.cancel()
    end = time.monotonic() + 3
    while judge._running and time.monotonic() < end:
        time.sleep(0.02)
    if judge._running:
        judge.close()


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: Judge) -> Iterator[TutorApp]:
    """A small course. The judge knows the exercises of the real one; the cells of both."""
    monkeypatch.setenv("TUTOR_HOME", str(share_judge(tmp_path / "home")))
    course = open_course(write_course(tmp_path / "course"))
    record = open_record(paths.record_file())
    record.settings.set("focus", None)  # not empty: home is the first screen, not the introduction
    yield TutorApp(course, record, judge)
    record.close()


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: Judge) -> Iterator[Host]:
    """The real course. What it writes goes to a folder of the test's own."""
    monkeypatch.setenv("TUTOR_HOME", str(share_judge(tmp_path)))
    record = open_record(paths.record_file())
    yield Host(open_course(), record, judge)
    record.close()
