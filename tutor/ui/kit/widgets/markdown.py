"""Lesson text: Textual's Markdown widget with our code colours, and no HTML."""

from pathlib import Path
from typing import Any

from markdown_it.token import Token
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Markdown, Static
from textual.widgets._markdown import MarkdownParagraph  # the public module leaves it out
from textual.widgets.markdown import MarkdownFence

from tutor.course.catalog.diagrams import draw_boxes
from tutor.course.model import Source
from tutor.course.reading.links import add_addresses, linking_parser, parser, picture_of
from tutor.ui.kit.text import highlight
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.text.whole_code import WholeCode
from tutor.ui.kit.widgets.pictures import BlockPicture, make_picture
from tutor.ui.kit.widgets.table import FittedTable


class Fence(MarkdownFence):
    """A code block in the colours of our own live cells; the terminal's where the theme is ANSI.

    A diagram of an author's ASCII signs gets lines and arrows. A line that is too long is wrapped, as
    in a cell."""

    @classmethod
    def highlight(cls, code: str, language: str, ansi: bool = False, dark: bool = False) -> Content:
        if language == "text":
            return Content(draw_boxes(code))
        if ansi:
            return super().highlight(code, language or "text", ansi=ansi, dark=dark)
        return highlight.colour_code(code, language)


class Paragraph(MarkdownParagraph):
    """A paragraph. One that holds only a picture draws it if possible, else shows its description.

    Half blocks are coarse, so the description stands below them."""

    def __init__(self, markdown: Markdown, token: Token, *args: Any, **kwargs: Any) -> None:
        super().__init__(markdown, token, *args, **kwargs)
        self._folder = markdown.folder if isinstance(markdown, MarkdownView) else None
        self._picture: Widget | None = None
        self._below = Content()

    def build_from_token(self, token: Token) -> None:
        super().build_from_token(token)
        alone = picture_of(token)
        if alone is None:
            return
        if self._folder is not None:
            truecolour = self.app.console.color_system == "truecolor" and not self.app.no_color
            self._picture = make_picture(self._folder / alone.file, truecolour=truecolour)
        words = Content.assemble(("Picture: ", "bold $primary"), make_visible(alone.says))
        if isinstance(self._picture, BlockPicture):
            self._below = Content.styled(make_visible(alone.says), "$foreground 70%")
        self.set_content(Content() if self._picture else words)

    def set_content(self, content: Content) -> None:
        super().set_content(WholeCode(content))

    def compose(self) -> ComposeResult:
        if self._picture is not None:
            yield self._picture
        if self._below:
            yield Static(self._below)


class MarkdownView(Markdown):
    """`sources` makes links of citations, `[triton-load]`, and of days
    (tutor.course.reading.links). Without them it is text of a screen that follows no links.
    `folder`: where its pictures are. A link keeps the colour of the text around it."""

    DEFAULT_CSS = """
    MarkdownView .header { link-color: $primary; }
    MarkdownView MarkdownBlock { link-color: $foreground; }
    MarkdownView MarkdownFence { margin: 0 0 1 0; background: $surface; color: $foreground; }
    MarkdownView MarkdownFence > Label { width: 1fr; padding: 0 0 0 1; }
    """

    BLOCKS = {  # noqa: RUF012
        **Markdown.BLOCKS,
        "fence": Fence,
        "code_block": Fence,
        "paragraph_open": Paragraph,
        "table_open": FittedTable,
    }

    def __init__(
        self, text: str, sources: tuple[Source, ...] | None = None, folder: Path | None = None
    ) -> None:
        self.folder = folder
        if sources is None:
            super().__init__(text, parser_factory=parser, open_links=False)
        else:
            linked = add_addresses(text, sources)
            super().__init__(linked, parser_factory=linking_parser, open_links=False)


def split_at_block(text: str, lines: int) -> tuple[str, str]:
    """`text` cut in two before the first top-level block that starts at or after line `lines`.

    Both halves mean the same apart as together, but for reference links defined in the other one.
    """
    starts = (t.map[0] for t in parser().parse(text) if t.level == 0 and t.map and t.nesting >= 0)
    cut = next((start for start in starts if start >= lines), None)
    if cut is None:
        return text, ""
    rows = text.splitlines(keepends=True)
    return "".join(rows[:cut]), "".join(rows[cut:])
