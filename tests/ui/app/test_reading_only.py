"""A record that cannot be written: lessons, cells and the map work, and nothing claims to be kept."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from doing import seen, until
from textual.pilot import Pilot
from textual.widgets import Input

from tutor.base.errors import StorageError
from tutor.memory.record import Record, open_for_reading, open_record
from tutor.ui import session as application
from tutor.ui.app import TutorApp
from tutor.ui.home.home import HomeScreen
from tutor.ui.lesson.screen import LessonScreen

TROUBLE = StorageError("cannot use the record here (attempt to write a readonly database)")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A record with a section that was read."""
    path = tmp_path / "record.sqlite3"
    with closing(open_record(path)) as record:
        record.activity.section_read(1, 0)
        record.activity.set_position(1, 0)
    return path


def test_a_copy_is_read_and_never_written(written: Path) -> None:
    before = written.read_bytes()
    with closing(open_for_reading(written, TROUBLE)) as record:
        assert record.activity.read_sections(1) == {0}
        with pytest.raises(StorageError, match=r"^reading only, nothing is kept: cannot use"):
            record.activity.section_read(1, 1)
        assert record.activity.read_sections(1) == {0}
        assert record.statistics.compute(record.today()) is not None
        assert record.notice.startswith("Reading only: cannot use the record here")
    assert written.read_bytes() == before


def test_without_a_record_there_is_an_empty_one_to_read(tmp_path: Path) -> None:
    with closing(open_for_reading(tmp_path / "no" / "record.sqlite3", TROUBLE)) as record:
        assert record.is_empty()
    assert not (tmp_path / "no").exists()


def test_a_file_that_is_no_record_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    path.write_text("not a database, and long enough for its header to be looked at " * 20)
    with pytest.raises(StorageError) as raised:
        open_for_reading(path, TROUBLE)
    assert raised.value is TROUBLE


def test_the_application_opens_a_record_that_cannot_be_written(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(written.parent))
    (written.parent / "record.lock").unlink()
    (written.parent / "record.lock").mkdir()  # the folder takes no lock, as on a read-only disk
    opened: list[Record] = []
    monkeypatch.setattr(TutorApp, "run", lambda app: opened.append(app.record))
    monkeypatch.setattr(application.gc_tuning, "start_tuning", lambda: None)
    application.run(closing(sqlite3.connect(":memory:")))
    assert opened[0].notice.startswith("Reading only: cannot use the record")


async def at_lesson(pilot: Pilot[None], app: TutorApp) -> None:
    await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    app.open("lesson:1")
    await until(pilot, lambda: isinstance(app.screen, LessonScreen) and "section 1 of" in seen(app))


@pytest.mark.slow
async def test_a_lesson_is_read_and_its_cell_runs(app: TutorApp, written: Path) -> None:
    reading = open_for_reading(written, TROUBLE)
    app.record, app.notices = reading, [reading.notice]
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: "Reading only: cannot use the record here" in seen(app))
        await at_lesson(pilot, app)
        await until(pilot, lambda: "reading only, nothing is kept" in seen(app))
        await pilot.press("x")
        await until(pilot, lambda: "✓ cell 1 of" in seen(app), 120)
        await pilot.press("n")
        await until(pilot, lambda: "section 2 of" in seen(app))
        await pilot.press("m")  # a bookmark, which is refused
        assert "◆" not in seen(app).splitlines()[0]
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert app.failure is None
    reading.close()


async def test_a_record_that_takes_nothing_more_does_not_end_the_lesson(app: TutorApp) -> None:
    """The pages are turned, a prediction is answered, and its cell tells; none of it says "Saved"."""
    db = app.record.log.connection
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await at_lesson(pilot, app)
        db.execute("PRAGMA query_only = ON")  # SQLite refuses each write from here on
        await pilot.press("n")
        await until(pilot, lambda: "cannot use the record" in seen(app))
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("1", "enter")
        if "certain" in seen(app):
            await pilot.press("5")
        await until(pilot, lambda: "Not saved. Run cell" in seen(app))
        assert app.failure is None
        assert app.is_running
