"""What the last day of the course says at its end, and home once everything is read."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from choice_course import write_choice
from doing import SMALL, seen, until
from reading_course import open_lesson

from tutor.base import paths
from tutor.commands.plain.day_end import say_day_end
from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp

_TO_COME = """
[[day]]
day = 4
title = "Later"
phase = 1
week = 1
kind = "lesson"
"""


@pytest.fixture(params=[False, True], ids=["written", "to-come"])
def course(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: Judge
) -> Iterator[TutorApp]:
    """A course whose three days are read; with a fourth one that is to come, in the middle."""
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    root = write_choice(tmp_path / "course")
    if request.param:
        outline = root / "lessons" / "outline.toml"
        text = outline.read_text().replace("day = 3\n", "day = 4\n")
        at = text.index("[[day]]\nday = 4")
        outline.write_text(text[:at] + _TO_COME.replace("day = 4", "day = 3") + text[at:])
        lesson = root / "lessons" / "day-03-evaluation.md"
        moved = lesson.with_name("day-04-evaluation.md")
        moved.write_text(lesson.read_text().replace("day = 3", "day = 4", 1))
        lesson.unlink()
    record = open_record(paths.record_file())
    record.settings.set("focus", None)
    for day in (1, 2, 3, 4):
        record.activity.section_read(day, 0)
    yield TutorApp(open_course(root), record, judge)
    record.close()


async def test_the_last_day_says_that_it_is_the_last_and_what_is_to_come(course: TutorApp) -> None:
    last = course.course.overview().days[-1].day
    async with course.run_test(size=(100, 50)) as pilot:
        await open_lesson(pilot, day=last)
        await until(pilot, lambda: "This is its last day." in seen(course))
        assert ("Day 3 is not written yet." in seen(course)) == (last == 4)


async def test_an_earlier_day_does_not(course: TutorApp) -> None:
    async with course.run_test(size=(100, 50)) as pilot:
        await open_lesson(pilot, day=1)
        await until(pilot, lambda: "The end of Day 1" in seen(course))
        assert "last day" not in seen(course)


async def test_home_says_that_every_written_day_is_read(course: TutorApp) -> None:
    last = course.course.overview().days[-1].day
    async with course.run_test(size=SMALL) as pilot:
        words = (
            "each day that is written is read; Day 3 is not written yet"
            if last == 4
            else "each day of the course is read"
        )
        await until(pilot, lambda: words in seen(course))


def test_plain_mode_says_the_same(course: TutorApp, capsys: pytest.CaptureFixture[str]) -> None:
    last = course.course.overview().days[-1].day
    lesson = course.course.lesson(last)
    assert lesson is not None
    say_day_end(lesson, course.course, course.record)
    said = capsys.readouterr().out
    assert "this is the last day of the course" in said
    assert "the project small counts until you choose" in said
    assert ("Day 3 is not written yet." in said) == (last == 4)
