"""The mouse alone: a section of a lesson, home, a kernel, a note, the list of keys, a dialog."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from doing import WIDE, label_of, seen, until
from run_home import share_course
from textual.events import MouseScrollDown
from textual.pilot import Pilot
from textual.widgets import Input

from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge
from tutor.memory.course_sync import sync
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.home.course_map import MapScreen
from tutor.ui.home.home import HomeScreen
from tutor.ui.kit.dialogs.help import HelpScreen
from tutor.ui.kit.dialogs.note import NoteScreen
from tutor.ui.lab.screen import LabScreen
from tutor.ui.lesson.page import Page
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.quiz.checklist import ChecklistScreen
from tutor.ui.quiz.misconceptions import MisconceptionsScreen
from tutor.ui.quiz.screen import QuizScreen
from tutor.ui.review.statistics import StatisticsScreen

pytestmark = pytest.mark.slow


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: Judge) -> Iterator[TutorApp]:
    monkeypatch.setenv("TUTOR_HOME", str(share_course(tmp_path)))
    course = open_course()
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        sync(record, course)
        record.activity.section_read(1, 1)
        yield TutorApp(course, record, judge)


async def click(pilot: Pilot[None], text: str) -> None:
    """Click on `text` where it is seen first."""
    await until(pilot, lambda: text in seen(pilot.app))
    rows = seen(pilot.app).split("\n")
    row = next(row for row, line in enumerate(rows) if text in line)
    await pilot.click(offset=(rows[row].index(text), row))
    await pilot.pause()


async def foot(pilot: Pilot[None], text: str) -> None:
    """Click on `text` in the line of keys."""
    await until(pilot, lambda: text in seen(pilot.app).split("\n")[-1])
    row = seen(pilot.app).split("\n")[-1]
    await pilot.click(offset=(row.index(text), pilot.app.size.height - 1))
    await pilot.pause()


async def on(pilot: Pilot[None], screen: type) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, screen))


async def test_home_is_clicked(app: TutorApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await on(pilot, HomeScreen)
        await click(pilot, "II ")
        await on(pilot, MapScreen)
        await foot(pilot, "esc home")
        await on(pilot, HomeScreen)
        await click(pilot, " in all")
        await on(pilot, StatisticsScreen)
        await foot(pilot, "esc back")
        await on(pilot, HomeScreen)
        title = app.course.overview().days[0].sections[4]
        await click(pilot, title[:20])
        await on(pilot, LessonScreen)
        await until(pilot, lambda: "section 5 of" in seen(app))


async def test_an_evening_is_clicked(app: TutorApp) -> None:  # noqa: PLR0915 - one walk
    """The first section of Day 1, its questions, and a kernel whose text is there already."""
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await on(pilot, HomeScreen)
        await click(pilot, app.course.overview().days[0].sections[0][:20])
        await on(pilot, LessonScreen)
        lesson = app.screen
        assert isinstance(lesson, LessonScreen)
        page = lesson.query_one(Page)
        for _ in range(60):
            event = MouseScrollDown(page, 20, 10, 0, 0, 0, False, False, False, 20, 10)
            page.post_message(event)
        await until(pilot, lambda: 0 in app.record.activity.read_sections(1))
        await foot(pilot, "n next")
        await until(pilot, lambda: "section 2 of" in seen(app))
        await foot(pilot, "? …")
        await on(pilot, HelpScreen)
        await click(pilot, "Write or change your note")
        await on(pilot, NoteScreen)
        await pilot.press(*"mine")
        await click(pilot, "▸ Save")
        await on(pilot, LessonScreen)
        assert [note.text for note in app.record.notes.section_notes(1)] == ["mine"]
        await foot(pilot, "? …")
        await on(pilot, HelpScreen)
        await click(pilot, "This day's questions")
        await on(pilot, QuizScreen)
        quiz = app.screen
        assert isinstance(quiz, QuizScreen)
        kinds = [asked.kind == "choice" for asked in quiz.questions]
        some = max(kinds.index(True), kinds.index(False)) + 1  # one to choose, one given up
        for asked in quiz.questions[:some]:
            if asked.kind == "choice":
                await click(pilot, f"○ {label_of(app, str(asked.answer))}")
                await click(pilot, "▸ Submit")
                await click(pilot, "5 certain")
            else:
                await foot(pilot, "I do not know")
            await until(pilot, lambda: quiz.revealed)
            await pilot.pause()
            await foot(pilot, "next")
        await until(pilot, lambda: not quiz.revealed)
        await foot(pilot, "esc leave")
        await foot(pilot, "? …")
        await on(pilot, HelpScreen)
        await click(pilot, "This day's exercises")
        await on(pilot, LabScreen)
        await foot(pilot, "esc back")
        app.open("exercise:add_ten")  # the kernel of Day 1 takes long to judge
        await on(pilot, LabScreen)
        lab = app.screen
        assert isinstance(lab, LabScreen)
        solution = lab.exercise.solution.read_text("utf-8")
        lab.document.editor.replace_text(solution)
        await foot(pilot, "^s check")
        await until(pilot, lambda: "✓ Right" in seen(app), 200)
        await click(pilot, "a worked solution")
        await until(pilot, lambda: lab.pane.page == "solution")


async def test_a_click_beside_a_dialog_closes_it(app: TutorApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await on(pilot, HomeScreen)
        await foot(pilot, "? …")
        await on(pilot, HelpScreen)
        await pilot.click(offset=(0, 20))
        await on(pilot, HomeScreen)


async def test_a_key_that_does_nothing_says_so_once(app: TutorApp) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await on(pilot, HomeScreen)
        await pilot.press("f9", "f9", "pageup")
        await until(pilot, lambda: "F9 does nothing here" in seen(app))
        assert len(app._notifications) == 1
        await pilot.press("down")  # a key that does something takes the words away
        await until(pilot, lambda: not app._notifications, seconds=2)
        await pilot.press("T", "f9")  # in a window its foot says what works
        await until(pilot, lambda: "F9 does nothing here. The foot of this window" in seen(app))


async def test_while_a_text_is_written_no_letter_is_called_a_key(app: TutorApp) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await on(pilot, HomeScreen)
        lab = LabScreen("vector_add")
        app.push_screen(lab)
        await on(pilot, LabScreen)
        await pilot.press("ctrl+g")
        await until(pilot, lambda: "Ctrl+G does nothing here. Letters are keys" in seen(app))
        app.clear_notifications()
        await pilot.press("i")
        await until(pilot, lambda: app.focused is lab.document.editor)
        await pilot.press("ctrl+j")
        said = "Ctrl+J does nothing here. F1 lists the keys that work."
        await until(pilot, lambda: said in seen(app))


async def test_ctrl_c_twice_quits(app: TutorApp) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await on(pilot, HomeScreen)
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("ctrl+c", "ctrl+c")
        await until(pilot, lambda: "Nothing is selected" in seen(app))
        await pilot.press("escape", "ctrl+c")
        await until(pilot, lambda: "Ctrl+C again quits" in seen(app))
        assert app.is_running
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app._exit)


async def test_q_leads_home_from_a_lesson_of_a_checkpoint(app: TutorApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await on(pilot, HomeScreen)
        app.open("quiz:14")
        app.open("lesson:1")
        await on(pilot, LessonScreen)
        await pilot.press("q")
        await on(pilot, HomeScreen)


async def test_an_item_of_the_checklist_is_ticked_by_a_click_and_by_enter(app: TutorApp) -> None:
    quiz = app.course.quiz(14)
    assert quiz is not None
    async with app.run_test(size=WIDE) as pilot:
        await on(pilot, HomeScreen)
        await app.push_screen(ChecklistScreen(quiz))
        await click(pilot, "□ ")
        await until(pilot, lambda: "1 of" in seen(app).split("\n")[0])
        await pilot.press("enter")
        await until(pilot, lambda: "0 of" in seen(app).split("\n")[0])


async def test_a_reason_is_not_discarded_by_the_first_escape(app: TutorApp) -> None:
    quiz = app.course.quiz(14)
    assert quiz is not None
    async with app.run_test(size=WIDE) as pilot:
        await on(pilot, HomeScreen)
        await app.push_screen(MisconceptionsScreen(quiz))
        await click(pilot, "Partly")
        await click(pilot, "▸ Submit")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press(*"so", "escape")
        assert "Not submitted. Esc again" in seen(app)
        await pilot.press("x", "escape")  # typing asks again
        await on(pilot, MisconceptionsScreen)
        await pilot.press("escape")
        await on(pilot, HomeScreen)
