"""A fault of the program ends it with one sentence, keeps its traceback and everything written."""

import time
from contextlib import closing
from pathlib import Path

import pytest
from doing import seen, until
from pty_session import Session
from textual.widgets import TextArea

from tutor.base import own_files, paths
from tutor.base.crash_log import write_crash
from tutor.base.errors import ProgramFault
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.home.course_map import MapScreen
from tutor.ui.home.home import HomeScreen
from tutor.ui.kit.dialogs.note import NoteScreen
from tutor.ui.review.statistics import StatisticsScreen

changed = own_files.have_changed  # before a fixture replaces it

# Read by Python before the program begins: its settings screen cannot be opened any more.
FAULT = """
import tutor.ui.app
def fail(self):
    raise RuntimeError("a fault that the test put here")
tutor.ui.app.TutorApp.action_settings = fail
"""

# Fails in Textual's thread that reads keys, on the first key.
DEAF = """
import textual.drivers.linux_driver as driver
feed = driver.XTermParser.feed
def fail(self, text):
    if "," in text:
        raise RuntimeError("a fault that the test put here")
    return feed(self, text)
driver.XTermParser.feed = fail
"""


@pytest.mark.slow
@pytest.mark.parametrize("fault", [FAULT, DEAF], ids=["an action", "the thread that reads keys"])
def test_a_crash_is_one_sentence_and_a_status(tmp_path: Path, fault: str) -> None:
    home = tmp_path / "home"
    with closing(open_record(home / "record.sqlite3")) as record:
        record.settings.set("focus", None)
    (tmp_path / "sitecustomize.py").write_text(fault)
    with closing(Session(home, PYTHONPATH=str(tmp_path))) as session:
        session.until("quit")
        session.press(b",", "crash.log")
        session.read(1)
        assert session.process.wait(30) == ProgramFault.exit_status == 70
        shown = session.said[session.said.rindex("tutor: ") :]
    assert "What you wrote is saved" in shown
    assert "Traceback" not in session.said
    assert "a fault that the test put here" in (home / "cache" / "crash.log").read_text()


async def test_what_a_dialog_holds_is_stored_when_the_program_fails(app: TutorApp) -> None:
    kept: list[str] = []

    async def crash_with_a_note_open() -> None:
        async with app.run_test() as pilot:
            app.push_screen(NoteScreen("", "1/here", keep=kept.append))
            await pilot.pause()
            app.screen.query_one(TextArea).insert("half a note")
            app.call_later(fail)
            await pilot.pause()

    with pytest.raises(RuntimeError, match="elsewhere"):
        await crash_with_a_note_open()
    assert kept == ["half a note"]
    assert isinstance(app.failure, ProgramFault)


async def test_work_in_a_thread_that_fails_says_so_and_ends_nothing(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.record.statistics, "compute", lambda day: fail())
    async with app.run_test(notifications=True) as pilot:
        await pilot.pause()
        app.push_screen(StatisticsScreen())
        await until(pilot, lambda: "ended work in the background (RuntimeError)" in seen(app))
        assert app.is_running
    assert "elsewhere" in (paths.cache_dir() / "crash.log").read_text("utf-8")


def fail() -> None:
    raise RuntimeError("elsewhere")


def test_a_program_that_was_updated_meanwhile_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    (tmp_path / "ui").mkdir()
    (tmp_path / "ui" / "home.py").write_text("")
    assert changed(str(tmp_path), time.time() - 60)
    assert not changed(str(tmp_path), time.time() + 60)
    assert "a fault of its own (TypeError)" in str(write_crash(TypeError("turned")))
    monkeypatch.setattr(own_files, "have_changed", lambda: True)
    said = str(write_crash(TypeError("turned")))
    assert said.startswith("tutor's own files were changed while it ran")
    assert "Start it again." in said
    assert "turned" in (tmp_path / "home" / "cache" / "crash.log").read_text()


async def test_home_says_that_the_program_was_updated(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_files, "have_changed", lambda: True)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        for _ in range(2):
            await pilot.press("m")
            await until(pilot, lambda: isinstance(app.screen, MapScreen))
            await pilot.press("escape")
            await until(pilot, lambda: "start it again" in seen(app))
        assert seen(app).count("were changed while it runs") == 1


def test_the_log_of_crashes_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    log = paths.cache_dir() / "crash.log"
    for _ in range(3):
        write_crash(ValueError("long " * 40_000))
    assert log.stat().st_size < 450_000
    assert str(log) in str(write_crash(ValueError("\udcff")))


def test_without_a_log_the_sentence_holds_the_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file where a folder belongs")
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    assert "too many tiles" in str(write_crash(ValueError("too many tiles")))
