"""A mistake in one file of the course: what the other files teach goes on."""

import shutil
from pathlib import Path

import pytest
from answering import keep_answer
from doing import seen, until
from monkey_ways import NoJudge
from reading_course import open_lesson
from remembering import FILES, Clock

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.course.catalog.course import open_course
from tutor.memory.course_sync import sync
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.home.home import HomeScreen
from tutor.ui.kit.dialogs.broken_lesson import FaultyScreen
from tutor.ui.review.screen import ReviewScreen


def with_faulty_lesson(folder: Path) -> Path:
    """The checkpoint course; its one lesson, of Day 1, cannot be read."""
    shutil.copytree(FILES, folder)
    break_lesson(folder)
    return folder


def break_lesson(folder: Path) -> None:
    (file,) = (folder / "lessons").glob("day-01-*.md")
    file.write_text(file.read_text("utf-8").replace("minutes = ", "minutes = 0 # "), "utf-8")


def test_a_question_is_found_beside_a_faulty_lesson(tmp_path: Path) -> None:
    course = open_course(with_faulty_lesson(tmp_path / "course"))
    assert course.question("d14-ridge") is not None
    with pytest.raises(UsageError, match="minutes"):
        course.question("d01-total")


@pytest.mark.slow
async def test_the_day_before_a_faulty_lesson_is_read_to_its_end(app: TutorApp) -> None:
    (app.course.root / "lessons" / "day-02-not-there-yet.md").write_text("+++\nday = 2\n", "utf-8")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_lesson(pilot, 1, section=2)
        await until(pilot, lambda: "Three that misbehave" in seen(app))
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: isinstance(app.screen, FaultyScreen))
        await pilot.press("escape")
        await until(pilot, lambda: "Three that misbehave" in seen(app))


async def test_a_card_whose_lesson_is_faulty_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    paths.ensure(tmp_path / "home")
    folder, clock = tmp_path / "course", Clock()
    shutil.copytree(FILES, folder)
    record = open_record(paths.record_file(), clock)
    sync(record, open_course(folder))
    for name in ("d01-total", "d14-fused"):
        keep_answer(record, name, 1, "x", False, 0.0, 4, 20.0, "quiz")
    clock.forward(days=9)
    break_lesson(folder)
    course = open_course(folder)
    app = TutorApp(course, record, NoJudge(course.root))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        await until(pilot, lambda: "What does fusing save?" in seen(app) or waits(app))
        if not waits(app):  # it comes second
            await pilot.press("f5")
        await until(pilot, lambda: waits(app))
        await pilot.press("b")
        await until(pilot, lambda: not waits(app))
    record.close()


def waits(app: TutorApp) -> bool:
    return "cannot be asked now" in " ".join(seen(app).split())
