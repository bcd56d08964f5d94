"""A day with several projects: the list to choose from, opened in the lesson and in the report."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from choice_course import write_choice
from doing import WIDE, seen, until
from reading_course import open_lesson

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge
from tutor.memory.project_choice import find_project
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.lab.screen import LabScreen
from tutor.ui.review.project_report import ReportScreen


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: Judge) -> Iterator[TutorApp]:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    course = open_course(write_choice(tmp_path / "course"))
    record = open_record(paths.record_file())
    record.settings.set("focus", None)  # home is the first screen, not the introduction
    yield TutorApp(course, record, judge)
    record.close()


def counting(app: TutorApp) -> str:
    found = find_project(app.course.overview(), app.record, 3)
    assert found is not None
    return found.name


@pytest.mark.parametrize("size", [(80, 44), WIDE])
async def test_a_key_of_the_lesson_lists_them_and_the_end_of_the_day_follows(
    project: TutorApp, size: tuple[int, int]
) -> None:
    async with project.run_test(size=size) as pilot:
        await open_lesson(pilot, day=2)
        await until(pilot, lambda: "A small one: counts until you choose" in seen(project))
        await pilot.press("P")
        await until(pilot, lambda: isinstance(project.screen, ChooseScreen))
        await until(pilot, lambda: "It is long. Needs: Days 1 and 2" in seen(project))
        assert "● A small one  0 of 2 right" in seen(project)
        assert "○ A large one  0 of 2 right" in seen(project)
        await pilot.press("down", "enter")
        await until(pilot, lambda: "A large one: your project" in seen(project))
        assert counting(project) == "large"
        await pilot.press("K")
        await until(pilot, lambda: isinstance(project.screen, LabScreen))
        assert "fused_chain · Day 2, 1 of 1" in seen(project)


async def test_escape_leaves_the_choice_as_it_was(project: TutorApp) -> None:
    async with project.run_test(size=WIDE) as pilot:
        await open_lesson(pilot, day=2)
        await pilot.press("P")
        await until(pilot, lambda: isinstance(project.screen, ChooseScreen))
        await pilot.press("down", "escape")
        await until(pilot, lambda: not isinstance(project.screen, ChooseScreen))
        assert project.record.settings.get("projects") == []


async def test_the_report_follows_the_choice_at_once(project: TutorApp) -> None:
    async with project.run_test(size=WIDE) as pilot:
        await open_lesson(pilot, day=3)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(project.screen, ReportScreen))
        await until(pilot, lambda: "(vector_add)" in seen(project))
        assert "(row_softmax)" not in seen(project)
        await pilot.press("P")
        await until(pilot, lambda: isinstance(project.screen, ChooseScreen))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "(row_softmax)" in seen(project))
        assert "(vector_add)" not in seen(project)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(project.screen, LabScreen))
        assert "fused_chain · Day 3, 1 of 2" in seen(project)


async def test_a_day_without_projects_to_choose_from_has_no_such_key(project: TutorApp) -> None:
    async with project.run_test(size=WIDE) as pilot:
        screen = await open_lesson(pilot, day=1)
        await pilot.press("P")
        await pilot.pause()
        assert project.screen is screen
        assert ": your project" not in seen(project)
