"""The note dialog: Ctrl+S saves, and a typed text is discarded only on the second Escape."""

import pytest
from doing import until
from textual.app import App
from textual.widgets import TextArea

from tutor.ui.app import TutorApp
from tutor.ui.kit.dialogs.note import NoteScreen


async def opened(app: TutorApp, kept: list[str]) -> None:
    app.push_screen(NoteScreen("before", "1/here", keep=kept.append))


@pytest.mark.parametrize("key", ["ctrl+s", "f2"])
async def test_a_note_is_saved(app: TutorApp, key: str) -> None:
    kept: list[str] = []
    async with app.run_test() as pilot:
        await opened(app, kept)
        await pilot.pause()
        await pilot.press("X", "ctrl+home", "Y", "ctrl+end", "Z", key)
        assert kept == ["YbeforeXZ"]
        assert not is_open(app)


async def test_escape_asks_before_it_discards(app: TutorApp) -> None:
    kept: list[str] = []
    async with app.run_test() as pilot:
        await opened(app, kept)
        await pilot.pause()
        await pilot.press("X", "escape")
        assert is_open(app)
        assert "again: discard" in str(app.screen.query_one(".dialog").border_subtitle)
        await pilot.press("Y", "escape")  # typing goes on: it asks again
        assert is_open(app)
        await pilot.press("escape")
        assert not is_open(app)
        assert not kept


async def test_an_unchanged_note_closes_at_once(app: TutorApp) -> None:
    kept: list[str] = []
    async with app.run_test() as pilot:
        await opened(app, kept)
        await pilot.pause()
        await pilot.press("escape")
        assert not is_open(app)
        assert not kept


async def test_what_is_typed_is_there_again_until_it_is_saved_or_discarded(app: TutorApp) -> None:
    kept: list[str] = []

    async def shown() -> str:
        await opened(app, kept)
        await until(pilot, lambda: is_open(app) and bool(app.screen.query(TextArea)))
        return app.screen.query_one(TextArea).text

    def draft() -> str:
        return next((edit.text for edit in app.record.activity.edits("note")), "")

    async with app.run_test() as pilot:
        for keys in (["f2"], ["escape", "escape"]):
            await shown()
            await pilot.press("X")
            await until(pilot, lambda: draft() == "beforeX")
            app.pop_screen()  # as if the program had been killed: nothing was saved or discarded
            await until(pilot, lambda: not is_open(app))
            assert await shown() == "beforeX"
            assert "not saved" in str(app.screen.query_one(".dialog").border_subtitle)
            await pilot.press(*keys)
            await until(pilot, lambda: not is_open(app))
            assert draft() == ""
    assert kept == ["beforeX"]


def is_open(app: App[None]) -> bool:
    return isinstance(app.screen, NoteScreen)
