"""Lesson text: Textual's Markdown widget with our code colours, and no HTML."""

import re
from functools import cache

from markdown_it import MarkdownIt
from textual.content import Content
from textual.widgets import Markdown
from textual.widgets.markdown import MarkdownFence

from tutor.course.model import Source
from tutor.ui import highlight

_DAY = re.compile(r"\[Day (\d{1,3})\]")


@cache
def parser() -> MarkdownIt:
    """CommonMark with tables and strikethrough. HTML is off: `<T>` in a sentence is text."""
    return MarkdownIt("commonmark", {"html": False}).enable("table").enable("strikethrough")


class Fence(MarkdownFence):
    """A code block in the colours of our own live cells; the terminal's where the theme is ANSI."""

    @classmethod
    def highlight(cls, code: str, language: str, ansi: bool = False, dark: bool = False) -> Content:
        if ansi:
            return super().highlight(code, language or "text", ansi=ansi, dark=dark)
        return highlight.code(code, language)


class Prose(Markdown):
    """`sources` turns a citation, `[triton-load]`, into a link whose address is the source's id;
    `[Day 5]` becomes a link to that day."""

    BLOCKS = {**Markdown.BLOCKS, "fence": Fence, "code_block": Fence}  # noqa: RUF012

    def __init__(self, text: str, sources: tuple[Source, ...] = ()) -> None:
        addresses = [f"[{source.id}]: <source:{source.id}>" for source in sources]
        addresses += [f"[Day {day}]: <day:{day}>" for day in sorted(set(_DAY.findall(text)))]
        definitions = "\n".join(addresses)
        super().__init__(f"{text}\n\n{definitions}", parser_factory=parser, open_links=False)


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
