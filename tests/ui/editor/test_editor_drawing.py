"""The editor draws what Textual's own would, though it asks for less and keeps more."""

import random
from collections import defaultdict

import pytest
from doing import until
from textual.app import App, ComposeResult
from textual.document._document import EditResult, Location
from textual.document._syntax_aware_document import SyntaxAwareDocument
from textual.strip import Strip
from textual.widgets import TextArea

from tutor.course.catalog.course import open_course
from tutor.ui.editor.code_editor import CodeEditor

PIECES = (
    '"""',
    "'",
    "#",
    "\n",
    "x",
    "def f(a):\n    return [a]",
    "é → 🙂",
    "(",
    ")",
    "    ",
    "\t",
    "",
)


class Alone(App[None]):
    def compose(self) -> ComposeResult:
        yield CodeEditor()


def drawn(editor: CodeEditor) -> list[Strip]:
    return [editor._render_line(y) for y in range(editor.size.height)]


def anew(editor: CodeEditor) -> list[Strip]:
    """As Textual draws it: the whole text's highlights, and nothing kept."""
    lazy, kept = editor._highlights, editor._drawn
    editor._highlights, editor._drawn = defaultdict(list), {}  # type: ignore[assignment]
    TextArea._build_highlight_map(editor)
    try:
        return [TextArea._render_line(editor, y) for y in range(editor.size.height)]
    finally:
        editor._highlights, editor._drawn = lazy, kept
        editor._line_cache.clear()


async def test_a_line_that_goes_on_to_the_right_is_marked() -> None:
    app = Alone()
    async with app.run_test(size=(20, 5)) as pilot:
        editor = app.query_one(CodeEditor)
        editor.show_text("x = " + "a" * 40 + "\ny = 1\n")
        await pilot.pause()
        rows = [strip.text for strip in app.screen._compositor.render_strips(app.size)]
        assert [row.rstrip().endswith("›") for row in rows[:2]] == [True, False]
        editor.go(0, 44)
        await until(pilot, lambda: "›" not in editor.render_line(0).text)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 7])
async def test_what_is_kept_is_what_would_be_drawn(seed: int) -> None:
    choose = random.Random(seed)
    app = Alone()
    async with app.run_test(size=(60, 14)) as pilot:
        editor = app.query_one(CodeEditor)
        editor.show_text(open_course().exercise("row_softmax").solution.read_text("utf-8"))
        editor.focus()
        await pilot.pause()
        for step in range(250):
            row = choose.randrange(editor.document.line_count)
            column = choose.randrange(len(editor.document[row]) + 1)
            match choose.randrange(6):
                case 0:
                    editor.move_cursor((row, column), select=choose.random() < 0.5)
                case 1:
                    editor.undo()
                case 2:
                    editor.scroll_to(choose.randrange(20), choose.randrange(60), animate=False)
                case 3:
                    editor.delete((row, 0), (row, column))
                case _:
                    editor.insert(choose.choice(PIECES), (row, column))
            if step == 100:
                app.theme = "textual-light"
            if step == 200:
                await pilot.resize_terminal(90, 20)
            if step % 5 == 0:
                await pilot.pause()
            assert drawn(editor) == anew(editor), step
        assert editor._drawn


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
async def test_lines_are_broken_as_the_document_breaks_them(
    newline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is typed or pasted: the syntax tree counts bytes, and where it counts others than the
    text has, native code ends the application."""
    given: list[str] = []
    replace_range = SyntaxAwareDocument.replace_range

    def kept(
        document: SyntaxAwareDocument, start: Location, end: Location, text: str
    ) -> EditResult:
        given.append(text)
        return replace_range(document, start, end, text)

    monkeypatch.setattr(SyntaxAwareDocument, "replace_range", kept)
    choose = random.Random(11)
    app = Alone()
    async with app.run_test(size=(60, 14)):
        editor = app.query_one(CodeEditor)
        editor.show_text(newline.join(["def f(a):", "    return [a]", ""]))
        for step in range(120):
            row = choose.randrange(editor.document.line_count)
            editor.insert(
                choose.choice(PIECES), (row, choose.randrange(len(editor.document[row]) + 1))
            )
            if step % 7 == 0:
                editor.undo()
        assert editor.document.newline == newline
        assert all(len(text.split(newline)) == len((text + "x").splitlines()) for text in given)


@pytest.mark.slow
async def test_a_key_draws_few_lines_anew() -> None:
    app = Alone()
    async with app.run_test(size=(80, 40)) as pilot:
        editor = app.query_one(CodeEditor)
        editor.show_text("x = [1, 2]  # a line\n" * 300)
        editor.focus()
        editor.move_cursor((10, 20))  # in the comment: no other line changes its colours
        await pilot.press("a")
        before, far = dict(editor._drawn), editor._highlights[20]
        await pilot.press("b")
        after = dict(editor._drawn)
        assert editor._highlights[20] is far  # not asked of the syntax tree again
        assert len(before) > 30
        assert len(after.keys() - before.keys()) <= 1
