"""Lesson text: Textual's Markdown widget with our code colours, and no HTML."""

from textual.content import Content
from textual.widgets import Markdown
from textual.widgets.markdown import MarkdownFence

from tutor.course.links import linking_parser, parser, with_addresses
from tutor.course.model import Source
from tutor.ui import highlight


class Fence(MarkdownFence):
    """A code block in the colours of our own live cells; the terminal's where the theme is ANSI."""

    @classmethod
    def highlight(cls, code: str, language: str, ansi: bool = False, dark: bool = False) -> Content:
        if ansi:
            return super().highlight(code, language or "text", ansi=ansi, dark=dark)
        return highlight.code(code, language)


class Prose(Markdown):
    """`sources` makes links of citations, `[triton-load]`, and of days (tutor.course.links). Without
    them it is text of a screen that follows no links."""

    BLOCKS = {**Markdown.BLOCKS, "fence": Fence, "code_block": Fence}  # noqa: RUF012

    def __init__(self, text: str, sources: tuple[Source, ...] | None = None) -> None:
        if sources is None:
            super().__init__(text, parser_factory=parser, open_links=False)
        else:
            linked = with_addresses(text, sources)
            super().__init__(linked, parser_factory=linking_parser, open_links=False)


def split(text: str, lines: int) -> tuple[str, str]:
    """`text` cut in two before the first top-level block that starts at or after line `lines`.

    Both halves mean the same apart as together, but for reference links defined in the other one.
    """
    starts = (t.map[0] for t in parser().parse(text) if t.level == 0 and t.map and t.nesting >= 0)
    cut = next((start for start in starts if start >= lines), None)
    if cut is None:
        return text, ""
    rows = text.splitlines(keepends=True)
    return "".join(rows[:cut]), "".join(rows[cut:])
