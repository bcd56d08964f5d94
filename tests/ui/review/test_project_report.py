"""The screen with a project's report, reached by a key and by a button, and kept up to date."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from doing import SMALL, WIDE, seen, until
from project_course import verdict, write_project
from reading_course import open_lesson
from textual.pilot import Pilot

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.course.reading.variants import draw_variant
from tutor.judge.client import Judge
from tutor.judge.reports.project_report import project_lesson, project_report
from tutor.judge.reports.project_text import write_markdown
from tutor.memory.answers import GivenAnswer
from tutor.memory.record import open_record
from tutor.memory.store.rows import JudgedProgram
from tutor.ui.app import TutorApp
from tutor.ui.lab.screen import LabScreen
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.review.project_report import ReportScreen


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: Judge) -> Iterator[TutorApp]:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    course = open_course(write_project(tmp_path / "course"))
    record = open_record(paths.record_file())
    record.settings.set("focus", None)  # home is the first screen, not the introduction
    yield TutorApp(course, record, judge)
    record.close()


async def open_report(pilot: Pilot[None]) -> ReportScreen:
    await open_lesson(pilot, day=2, section=1)
    await pilot.press("r")
    await until(pilot, lambda: isinstance(pilot.app.screen, ReportScreen))
    assert isinstance(pilot.app.screen, ReportScreen)
    return pilot.app.screen


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_a_key_of_the_lesson_opens_it(project: TutorApp, size: tuple[int, int]) -> None:
    project.record.activity.attempt(
        JudgedProgram("add_ten", "a", verdict("add_ten"), True, "cpu-interpreter")
    )
    async with project.run_test(size=size) as pilot:
        await open_report(pilot)
        await until(pilot, lambda: "Report · Day 2" in seen(project))
        text = seen(project)
        assert "1 of 2 milestones right" in text
        assert "✓ " in text
        assert "the next milestone" in text
        await pilot.press("m")
        await until(pilot, lambda: isinstance(project.screen, LabScreen))
        assert "tail · Day 2, 2 of 2" in seen(project)


@pytest.mark.slow
async def test_a_milestone_of_an_earlier_day_belongs_to_the_project(project: TutorApp) -> None:
    right = (paths.course_root() / "kernels" / "add_ten" / "solution.py").read_text("utf-8")
    async with project.run_test(size=SMALL) as pilot:
        await open_report(pilot)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(project.screen, LabScreen))
        assert "add_ten · Day 2, 1 of 2" in seen(project)
        lab = project.screen
        assert isinstance(lab, LabScreen)
        lab.document.editor.text = right
        lab.action_check()
        await until(pilot, lambda: "milestone 2 of Day 2" in seen(project))
        lab.action_next()
        await until(pilot, lambda: project.screen is not lab)
        await until(pilot, lambda: "tail · Day 2, 2 of 2" in seen(project))


async def test_a_link_of_the_projects_page_opens_the_milestone(project: TutorApp) -> None:
    async with project.run_test(size=SMALL) as pilot:
        lesson = await open_lesson(pilot, day=2)
        await lesson.open_target("exercise:add_ten")
        await until(pilot, lambda: "add_ten · Day 2, 1 of 2" in seen(project))


async def test_after_the_last_milestone_none_is_called_the_next(project: TutorApp) -> None:
    for slug in ("add_ten", "tail"):
        project.record.activity.attempt(JudgedProgram(slug, "a", verdict(slug), True, "cpu"))
    async with project.run_test(size=SMALL) as pilot:
        await open_report(pilot)
        await until(pilot, lambda: "m · the last milestone again" in seen(project))
        assert "the next milestone" not in seen(project)


async def test_lines_go_on_below_their_first_word_and_show_no_sign_of_markdown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: Judge
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    course, record = open_course(), open_record(paths.record_file())
    record.activity.attempt(
        JudgedProgram("matmul_tiled", "a", verdict("matmul_tiled"), True, "cpu")
    )
    lesson = project_lesson(course, 7)
    asked = next(each for each in lesson.questions if each.kind == "open")
    record.activity.answer(
        GivenAnswer(draw_variant(asked), {"text": "`acc` | *stays*"}), None, "quiz"
    )
    app = TutorApp(course, record, judge)
    async with app.run_test(size=(80, 120)) as pilot:
        app.push_screen(ReportScreen(lesson))
        await until(pilot, lambda: "Report · Day 7" in seen(app))
        await until(pilot, lambda: "(matmul_tiled)" in seen(app))
        rows = seen(app).split("\n")
    record.close()
    first = next(i for i, row in enumerate(rows) if "- changes: the start" in row)
    words = rows[first].index("changes")
    assert rows[first + 1][:words].isspace()
    assert rows[first + 1][words:].startswith("that are multiples of 32")
    shown = "\n".join(row for row in rows if "stays" not in row)
    assert not [sign for sign in ("`", "**", "|", "#") if sign in shown]
    assert any("│ `acc` | *stays*" in row for row in rows), "the learner's words stay as they are"


async def test_a_milestone_that_is_right_meanwhile_is_shown(project: TutorApp) -> None:
    async with project.run_test(size=WIDE) as pilot:
        await open_report(pilot)
        await until(pilot, lambda: "0 of 2 milestones right" in seen(project))
        await pilot.press("m")
        await until(pilot, lambda: isinstance(project.screen, LabScreen))
        project.record.activity.attempt(
            JudgedProgram("add_ten", "a", verdict("add_ten"), True, "cpu")
        )
        project.pop_screen()
        await until(pilot, lambda: "1 of 2 milestones right" in seen(project))


async def test_the_tables_of_day_7_are_not_wrapped_on_80_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: Judge
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    course, record = open_course(), open_record(paths.record_file())
    lesson = project_lesson(course, 7)
    for each in lesson.milestones:
        right = verdict(each.exercise, 0.25)
        record.activity.attempt(JudgedProgram(each.exercise, "a", right, True, "cuda: NVIDIA H200"))
    rows = [
        each for each in write_markdown(project_report(course, record, lesson)) if each[:1] in "|█"
    ]
    assert sum("gemm_grouped" in each for each in rows) == 2  # both tables have their figures
    app = TutorApp(course, record, judge)
    async with app.run_test(size=SMALL) as pilot:
        app.push_screen(ReportScreen(lesson))
        await until(pilot, lambda: "Report · Day 7" in seen(app))
        assert app.screen.query_one("#text").content_region.width >= max(map(len, rows))
    record.close()


async def test_it_is_written_as_a_file_and_again(project: TutorApp) -> None:
    path = paths.data_dir() / "reports" / "day-02.md"
    async with project.run_test(size=WIDE) as pilot:
        await open_report(pilot)
        await pilot.press("w")
        await until(pilot, path.exists)
        assert "0 of 2 milestones are right" in path.read_text("utf-8")
        project.record.activity.attempt(JudgedProgram("tail", "a", verdict("tail"), True, "cpu"))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(project.screen, LessonScreen))
        await pilot.press("r")
        await until(pilot, lambda: "1 of 2 milestones right" in seen(project))
        await pilot.press("w")
        await until(pilot, lambda: "1 of 2 milestones is right" in path.read_text("utf-8"))


async def test_the_end_of_the_day_has_a_button(project: TutorApp) -> None:
    async with project.run_test(size=(100, 60)) as pilot:
        await open_lesson(pilot, day=2, section=1)
        await until(pilot, lambda: "the report, 0 of 2 milestones right" in seen(project))
        row, line = next(
            (i, line)
            for i, line in enumerate(seen(project).split("\n"))
            if "r · the report" in line
        )
        await pilot.click(offset=(line.index("r ·"), row))
        await until(pilot, lambda: isinstance(project.screen, ReportScreen))


async def test_on_another_day_the_key_does_nothing(project: TutorApp) -> None:
    async with project.run_test(size=WIDE) as pilot:
        await open_lesson(pilot, day=1)
        await pilot.press("r")
        await until(
            pilot,
            lambda: any("r does nothing here" in n.message for n in project._notifications),
        )
        assert isinstance(project.screen, LessonScreen)
