"""Undo across the border where a scroll bar goes, and pastes with every kind of line end."""

import pytest
from textual.app import App, ComposeResult
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import TextArea

from tutor.ui.editor.code_editor import LARGEST_PASTE, LONGEST_PASTED_LINE, CodeEditor
from tutor.ui.kit.widgets.text_box import TextBox


class Editors(App[None]):
    CSS = "TextBox { height: 7; }"

    def compose(self) -> ComposeResult:
        yield CodeEditor()
        yield TextBox()


async def paste(pilot: Pilot[None], area: TextArea, text: str) -> None:
    area.focus()
    await pilot.pause()
    pilot.app.post_message(Paste(text))
    await pilot.pause()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [CodeEditor, TextBox])
@pytest.mark.parametrize("lines", [9, 40, 150])
async def test_undo_and_redo_across_the_scroll_bar(kind: type[TextArea], lines: int) -> None:
    app = Editors()
    async with app.run_test(size=(60, 20)) as pilot:
        area = app.query_one(kind)
        await paste(pilot, area, "\n".join(f"line {n}" for n in range(lines)))
        written = area.text
        assert written.count("\n") == lines - 1
        await pilot.press("ctrl+z")
        assert area.text == ""
        await pilot.press("ctrl+y")
        assert area.text == written
        for _ in range(10):
            await pilot.press("enter")
        for _ in range(20):
            await pilot.press("ctrl+z")
        assert area.text == ""
        assert area.cursor_location == (0, 0)


@pytest.mark.parametrize("kind", [CodeEditor, TextBox])
async def test_ctrl_with_home_and_end_lead_to_the_edges_of_the_text(kind: type[TextArea]) -> None:
    app = Editors()
    async with app.run_test(size=(60, 20)) as pilot:
        area = app.query_one(kind)
        await paste(pilot, area, "one\ntwo\nthree")
        await pilot.press("ctrl+home")
        assert area.cursor_location == (0, 0)
        await pilot.press("ctrl+end")
        assert area.cursor_location == (2, 5)


@pytest.mark.parametrize("kind", [CodeEditor, TextBox])
async def test_what_is_typed_after_an_undo_is_undone_alone(kind: type[TextArea]) -> None:
    """Textual would put it into the batch of the new line, undo both, and draw one row too many: of the
    last line of the text, which is gone."""
    app = Editors()
    async with app.run_test(size=(60, 20)) as pilot:
        area = app.query_one(kind)
        area.focus()
        await pilot.press("a", "enter", "b", "ctrl+z", "c")
        assert area.text == "a\nc"
        await pilot.press("ctrl+z")
        assert area.text == "a\n"
        await pilot.press("ctrl+z")
        assert area.text == "a"
        assert area.wrapped_document.height == area.document.line_count


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"], ids=["LF", "CR", "CRLF"])
async def test_a_long_paste_is_lines_whatever_ends_them(end: str) -> None:
    app = Editors()
    async with app.run_test(size=(60, 20)) as pilot:
        editor = app.query_one(CodeEditor)
        lines = [f"x{n} = 'a line of a file that is pasted whole'" for n in range(300)]
        await paste(pilot, editor, end.join(lines))
        assert editor.text == "\n".join(lines)


async def test_a_refused_paste_names_the_limit() -> None:
    app = Editors()
    async with app.run_test(size=(60, 20)) as pilot:
        editor = app.query_one(CodeEditor)
        await paste(pilot, editor, "x" * (LONGEST_PASTED_LINE + 1))
        (shown,) = app._notifications
        assert f"{LONGEST_PASTED_LINE:,} a line" in shown.message
        assert f"{LARGEST_PASTE:,} characters" in shown.message
        assert editor.text == ""
