"""Leaving while something is half written: it is on disk, or there again."""

import asyncio
import os
import signal
import termios
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from answering import keep_answer
from doing import until
from ptyterm import Terminal
from run_home import share_course
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tutor.course.catalog.course import open_course
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.kit.dialogs.note import NoteScreen
from tutor.ui.lab.screen import LabScreen
from tutor.ui.question.drafts import draft_of
from tutor.ui.question.question_view import QuestionView
from tutor.ui.question.text_fields import WrittenField
from tutor.ui.quiz.reflection import ReflectionScreen
from tutor.ui.quiz.screen import QuizScreen

DAY = 14  # with questions to write on, and a reflection


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a learner who has done something already: the first screen is home."""
    monkeypatch.setenv("TUTOR_HOME", str(share_course(tmp_path)))
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        record.settings.set("focus", None)
    return tmp_path


def opened(home: Path) -> TutorApp:
    return TutorApp(open_course(), open_record(home / "record.sqlite3"))


async def write(pilot: Pilot[None], text: str) -> None:
    await until(pilot, lambda: isinstance(pilot.app.focused, TextArea))
    await pilot.press(*text)


@pytest.mark.slow
async def test_ctrl_q_keeps_a_note_and_a_second_escape_discards_it(home: Path) -> None:
    app = opened(home)
    async with app.run_test() as pilot:
        app.open(f"lesson:{DAY}")
        await until(pilot, lambda: hasattr(app.screen, "action_note"))
        await pilot.press("e")
        await write(pilot, "no")
        await pilot.press("escape", "escape", "e")  # the first Escape asks
        await until(pilot, lambda: isinstance(app.screen, NoteScreen))
        await write(pilot, "kept")
        await pilot.press("ctrl+q")
    with closing(open_record(home / "record.sqlite3")) as record:
        assert [note.text for note in record.notes.section_notes(DAY)] == ["kept"]


def open_question(app: TutorApp) -> QuizScreen:
    quiz = app.course.quiz(DAY)
    assert quiz is not None
    asked = next(q for q in quiz.questions if q.kind == "open")
    return QuizScreen((asked,), "Written")


@pytest.mark.slow
@pytest.mark.parametrize("key", ["ctrl+q", "leave"])
async def test_a_free_answer_is_there_again(home: Path, key: str) -> None:
    app = opened(home)
    async with app.run_test() as pilot:
        await app.push_screen(open_question(app))
        await write(pilot, "half of it")
        await pilot.press(*([key] if key == "ctrl+q" else ["escape", "escape"]))
        await pilot.pause()
    app = opened(home)
    async with app.run_test() as pilot:
        screen = open_question(app)
        await app.push_screen(screen)
        await write(pilot, " more")
        field = app.screen.query_one(WrittenField)
        assert field.text == "half of it more"
        await pilot.press("f2")
        view = app.screen.query_one(QuestionView)
        await until(pilot, lambda: view.stage != "answering")
        keep_answer(app.record, view.question.id, DAY, "x", True, 1.0, 3, 5.0, "quiz")
        assert draft_of(app.record, view.question) == "", "what was answered is no draft any more"


@pytest.mark.slow
async def test_tab_goes_to_the_text_of_a_free_answer_and_escape_out_of_it(home: Path) -> None:
    app = opened(home)
    async with app.run_test() as pilot:
        await app.push_screen(open_question(app))
        await write(pilot, "half")
        field = app.screen.query_one(WrittenField)
        assert field not in app.screen.focus_chain
        await pilot.press("shift+tab")
        assert app.focused is not field
        await pilot.press("tab", "x")
        assert field.text == "halfx"
        await pilot.press("escape", "left")
        assert app.focused is field
        await pilot.press("tab", "y", "escape", "enter")
        assert field.text == "halfxy"
        view = app.screen.query_one(QuestionView)
        await until(pilot, lambda: view.stage == "confidence")


@pytest.mark.slow
async def test_what_is_typed_is_in_the_record_while_its_page_is_open(home: Path) -> None:
    app = opened(home)
    async with app.run_test() as pilot:
        await app.push_screen(open_question(app))
        await write(pilot, "half of it")
        view = app.screen.query_one(QuestionView)
        await until(pilot, lambda: draft_of(app.record, view.question) == "half of it")
        assert view.unfinished is None
        view.query_one(WrittenField).query_one(TextArea).clear()
        await until(pilot, lambda: draft_of(app.record, view.question) == "")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["number", "text", "fill"])
async def test_a_typed_answer_is_there_again(home: Path, kind: str) -> None:
    app = opened(home)
    quizzes = (quiz for day in app.course.days if (quiz := app.course.quiz(day.day)))
    asked = next(q for quiz in quizzes for q in quiz.questions if q.kind == kind)
    async with app.run_test() as pilot:
        for key, typed in (("1", "1"), ("2", "12")):
            await app.push_screen(QuizScreen((asked,), "Typed"))
            await until(pilot, lambda: isinstance(app.focused, Input))
            await pilot.press(key)
            field = app.screen.query_one(QuestionView).field
            assert field.text == typed
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, QuizScreen))


@pytest.mark.slow
def test_ctrl_s_saves_in_a_terminal_with_flow_control(home: Path) -> None:
    """A terminal holds its output at Ctrl+S (XOFF) unless the application turns that off."""
    terminal = Terminal(100, 30, home)
    try:
        terminal.until("Begin")
        assert not termios.tcgetattr(terminal._fd)[0] & termios.IXON
        terminal.press("c")
        terminal.until("section 1 of")
        terminal.press("e")
        terminal.until("Your note to this section")
        terminal.press("mine\x13")
        terminal.until("Note saved")
        terminal.press("\x11")
        assert terminal.ended() == 0
    finally:
        terminal.close()


@pytest.mark.slow
async def test_a_reflection_and_a_scratch_cell_are_kept(home: Path) -> None:
    app = opened(home)
    async with app.run_test(size=(120, 40)) as pilot:
        lab = LabScreen("vector_add")
        await app.push_screen(lab)
        await until(pilot, lambda: "def add" in lab.document.editor.text)
        lab.panes.show_side("editor")
        lab.document.editor.move_cursor((0, 0))
        await pilot.press(*"# mine")
        lab.action_page("scratch")
        await until(pilot, lambda: bool(lab.scratch.editor.text))
        lab.scratch.editor.focus()
        await pilot.press(*"# cell")
        reflection = app.course.quiz(DAY).reflection  # type: ignore[union-attr]
        assert reflection is not None
        await app.push_screen(ReflectionScreen(DAY, reflection))
        await write(pilot, "so far")
        await pilot.press("ctrl+q")
    assert "# mine" in (home / "work" / "vector_add.py").read_text("utf-8")
    assert "# cell" in (home / "work" / "scratch" / "vector_add.py").read_text("utf-8")
    with closing(open_record(home / "record.sqlite3")) as record:
        assert [row.text for row in record.checkpoints.reflections(DAY)] == ["so far"]


def hung_up(terminal: Terminal) -> None:
    os.close(terminal._fd)


def terminated(terminal: Terminal) -> None:
    os.kill(terminal.pid, signal.SIGTERM)


def hung_up_and_continued(terminal: Terminal) -> None:
    """As the kernel does it to a session's leader; often nothing is left to take the second."""
    for _ in range(3):  # a program that has taken the first hears it once more
        os.kill(terminal.pid, signal.SIGCONT)
        time.sleep(0.05)
    hung_up(terminal)
    os.kill(terminal.pid, signal.SIGCONT)


def continued_many_times(terminal: Terminal) -> None:
    """The next signal arrives while the one before is still dealt with."""
    for _ in range(200):
        os.kill(terminal.pid, signal.SIGCONT)
        time.sleep(0.002)
    hung_up(terminal)


def ended(terminal: Terminal, seconds: float = 60) -> int:
    """The status, once it has ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pid, status = os.waitpid(terminal.pid, os.WNOHANG)
        if pid:
            terminal.pid = 0
            return status
        time.sleep(0.05)
    raise AssertionError("it goes on without its terminal")


@pytest.mark.slow
def test_keys_arrive_once_and_in_order_after_it_was_stopped(home: Path) -> None:
    terminal = Terminal(100, 30, home)
    try:
        terminal.until("Begin")
        for _ in range(3):
            os.kill(terminal.pid, signal.SIGSTOP)
            os.kill(terminal.pid, signal.SIGCONT)
            assert terminal.drawn(20), "nothing is drawn anew"
            terminal.settle(0.5)  # the driver has started again
        terminal.press("/")
        terminal.until("Search")
        for letter in "warp tile occupancy":
            terminal.press(letter)
        terminal.until("warp tile occupancy")
        terminal.press("\x11")
        assert terminal.ended() == 0
    finally:
        terminal.close()


@pytest.mark.slow
@pytest.mark.parametrize("end", [terminated, hung_up_and_continued, continued_many_times])
def test_a_signal_or_a_closed_terminal_keeps_what_was_written(
    home: Path, end: Callable[[Terminal], None]
) -> None:
    terminal = Terminal(100, 30, home)
    try:
        terminal.until("Begin")
        terminal.press("c")
        terminal.until("section 1 of")
        terminal.press("e")
        terminal.until("Your note to this section")
        terminal.press("written just now")
        terminal.until("written just now")
        end(terminal)
        status = ended(terminal)
        if end is terminated:
            assert os.waitstatus_to_exitcode(status) == 0
    finally:
        if end is not terminated:
            terminal._fd = os.open(os.devnull, os.O_RDWR)
        terminal.close()
    with closing(open_record(home / "record.sqlite3")) as record:
        assert [note.text for note in record.notes.section_notes(1)] == ["written just now"]


@pytest.mark.slow
@pytest.mark.parametrize("turns", [0, 1])  # of the event loop between the two
async def test_quitting_while_a_screen_opens_is_no_fault(home: Path, turns: int) -> None:
    """Textual adds no widgets to it any more, and mounts it all the same."""
    app = opened(home)
    async with app.run_test() as pilot:
        await pilot.pause()
        app.open("map")
        for _ in range(turns):
            await asyncio.sleep(0)
        await app.action_quit()
    assert app.failure is None
