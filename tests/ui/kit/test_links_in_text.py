"""How a link looks in a lesson's text."""

from rich.segment import Segment
from textual.app import App, ComposeResult

from tutor.course.model import Source
from tutor.ui.kit.dialogs.sources import format_source
from tutor.ui.kit.widgets.markdown import MarkdownView

TEXT = """\
A [kernel](term:kernel) runs.

> Its [grid](term:grid) too.

| the [head](term:head) |
|---|
| a [lane](term:lane) |
"""


class Page(App[None]):
    def compose(self) -> ComposeResult:
        yield MarkdownView(TEXT, ())


async def test_a_link_is_underlined_in_the_colour_of_the_text_around_it() -> None:
    app = Page()
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        rows = [list(strip) for strip in app.screen._compositor.render_strips()]
    for word, near in (("kernel", "A "), ("grid", "Its "), ("head", "the "), ("lane", "a ")):
        row = next(row for row in rows if any(piece.text == word for piece in row))
        link, text = _piece(row, word), _piece(row, near)
        assert link.style is not None
        assert text.style is not None
        assert (link.style.underline, text.style.underline) == (True, None)
        assert link.style.color == text.style.color
        assert link.style.bgcolor == text.style.bgcolor


def _piece(row: list[Segment], text: str) -> Segment:
    return next(piece for piece in row if piece.text == text)


async def test_a_source_with_code_in_its_title_has_no_backticks() -> None:
    source = Source("a", "The mask of `tl.load`", "v1", "https://example.org/p")
    async with Page().run_test():  # whose colours the address takes
        assert "1  The mask of tl.load  v1" in format_source(1, source, 60).plain
