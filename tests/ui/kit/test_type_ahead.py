"""Keys pressed at once, faster than pages come: each goes where it was meant to."""

from pathlib import Path

import pytest
from doing import until
from ptyterm import Terminal
from textual.events import Key, Paste
from textual.widgets import Input, Static

from tutor.course.model import Question
from tutor.ui.app import TutorApp
from tutor.ui.home.home import HomeScreen
from tutor.ui.kit.core import type_ahead
from tutor.ui.quiz.screen import QuizScreen


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a page takes longer than a key is waited for."""
    monkeypatch.setattr(type_ahead, "_LONGEST", 600.0)


def press(app: TutorApp, *keys: str) -> None:
    """As a terminal sends what was typed while the program was busy: all of it at once."""
    names = {"/": "slash", " ": "space"}
    for key in keys:
        app.post_message(Key(names.get(key, key), key if len(key) == 1 else None))


def typed(app: TutorApp) -> list[str]:
    return [field.value for field in app.screen.query(Input)]


@pytest.mark.slow
async def test_words_typed_with_the_key_that_opens_a_search_are_in_its_field(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        await pilot.pause()
        press(app, *"/quaint masks")  # q would leave the search, were it no letter
        app.post_message(Paste(" more"))
        press(app, "s")
        await until(pilot, lambda: typed(app) == ["quaint masks mores"])


@pytest.mark.slow
async def test_a_note_is_written_through_two_pages_that_are_not_there_yet(app: TutorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        press(app, "c", "e", *"quick words", "f2", "n")
        await until(
            pilot, lambda: [n.text for n in app.record.notes.section_notes()] == ["quick words"]
        )
        await until(pilot, lambda: getattr(app.screen, "section", 0) == 1)


@pytest.mark.slow
async def test_keys_of_several_pages_are_each_read_on_their_own(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        await pilot.pause()
        press(app, "/", "x", "escape", "question_mark", "escape", "/", *"ab")
        await until(pilot, lambda: typed(app) == ["ab"])
        press(app, "escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


@pytest.mark.slow
async def test_a_key_whose_widget_goes_holds_nothing_up(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        await pilot.pause()
        for _ in range(3):
            press(app, "/", *"abc", "escape")
        press(app, "/", *"last")
        await until(pilot, lambda: typed(app) == ["last"])


async def test_a_key_waits_for_no_widget_that_went_without_a_word(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        await pilot.pause()
        await app.screen.mount(goes := Static())
        app._follow(goes)
        goes._message_queue.get_nowait()  # `Handled`, as a widget that is removed leaves it there
        press(app, *"/x")
        await pilot.pause()
        await goes.remove()
        await until(pilot, lambda: typed(app) == ["x"])


ASKED = Question(
    id="test-number",
    kind="number",
    prompt="How many bytes has a float32?",
    answer=4,
    explanation="It has 32 bits.",
    day=22,
    source="a page, version 1",
)


@pytest.mark.slow
async def test_a_confidence_pressed_at_once_is_none_of_the_answer(app: TutorApp) -> None:
    async with app.run_test() as pilot:
        await pilot.pause()
        await app.push_screen(QuizScreen((ASKED,), "Typed"))
        await until(pilot, lambda: isinstance(app.focused, Input))
        press(app, "4", "enter", "5")
        await until(pilot, lambda: app.record.activity.last_answer(ASKED.id))
        answer = app.record.activity.last_answer(ASKED.id)
        assert answer is not None
        assert (answer.value, answer.confidence) == (4, 5)


@pytest.mark.slow
def test_on_a_terminal_what_is_typed_ahead_is_searched_for(tmp_path: Path) -> None:
    terminal = Terminal(80, 24, tmp_path, TUTOR_NOW="2026-11-20T19:30:00+01:00")
    try:
        terminal.until("? …")
        terminal.press("\x1b")  # out of the introduction
        terminal.settle()
        terminal.press("/masked lanes")
        terminal.until("masked lanes")
        terminal.until("places")
    finally:
        terminal.close()
