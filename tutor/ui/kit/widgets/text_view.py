"""A view of a text with a cursor, colours, folds and search, fast for a hundred thousand lines.

Only the lines in sight are drawn, and a line is coloured when it is first drawn.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style

from tutor.ui.kit.text import highlight, line_folding

_SIGNS = {"lit": "▸", "added": "+", "removed": "−", "break": "✂", "": " "}


class TextView(ScrollView, can_focus=True):
    """Lines count from 0. `Moved` is posted when the cursor has moved."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "line down", show=False, id="text.down"),
        Binding("up,k", "move(-1)", "line up", show=False, id="text.up"),
        Binding("right,l", "column(1)", "right", show=False, id="text.right"),
        Binding("left,h", "column(-1)", "left", show=False, id="text.left"),
        Binding("w", "word(1)", "next word", show=False, id="text.word"),
        Binding("b", "word(-1)", "word before", show=False, id="text.word_before"),
        Binding("pagedown,space", "page(1)", "page down", show=False, id="text.page_down"),
        Binding("pageup", "page(-1)", "page up", show=False, id="text.page_up"),
        Binding("home,g", "edge(-1)", "top", show=False, id="text.top"),
        Binding("end,G", "edge(1)", "bottom", show=False, id="text.bottom"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "textview--gutter",
        "textview--cursor",
        "textview--lit",
        "textview--added",
        "textview--removed",
        "textview--break",
    }
    DEFAULT_CSS = """
    TextView { background: $background; scrollbar-size: 1 1; }
    TextView .textview--gutter { color: $foreground 70%; }
    TextView .textview--cursor { background: $panel; }
    TextView .textview--lit { background: $primary 22%; }
    TextView .textview--added { background: $success 20%; }
    TextView .textview--removed, TextView .textview--break { background: $error 20%; }
    """

    class Moved(Message):
        def __init__(self, view: "TextView") -> None:
            self.view = view
            super().__init__()

    def __init__(self) -> None:
        super().__init__()
        self.lines: Sequence[str] = ()
        self.language = ""
        self.cursor = 0  # the line
        self.column = 0
        self.span: tuple[int, int] | None = None  # of the cursor's line, underlined
        self.needle = ""
        self._numbers: Sequence[int | None] | None = None
        self._marks: Mapping[int, str] = {}
        self._rows: Sequence[int] = ()
        self._folded: dict[int, int] = {}  # heading -> lines hidden after it
        self._strips: LRUCache[tuple[object, ...], Strip] = LRUCache(2_000)
        self._width = 0
        self._gutter = 3

    # ---- what is shown

    def show(
        self,
        lines: Sequence[str],
        language: str,
        *,
        numbers: Sequence[int | None] | None = None,
        marks: Mapping[int, str] | None = None,
        cursor: int = 0,
    ) -> None:
        """Show another text. `numbers` stand in the gutter (default: 1, 2, …); `marks` are "lit",
        "added", "removed" or "break" by line."""
        self.lines, self.language, self._numbers = lines, language, numbers
        self._marks = marks or {}
        self._strips.clear()
        self.cursor, self.column, self.span = max(0, min(cursor, len(lines) - 1)), 0, None
        self._width = line_folding.width(lines)
        self.fold({}, frozenset())
        self.scroll_to(x=0, animate=False, immediate=True)
        self._keep_in_sight(centre=True)

    def mark(self, marks: Mapping[int, str]) -> None:
        """Mark these lines and no others."""
        if marks != self._marks:
            changed = self._marks.keys() ^ marks.keys()
            self._marks = marks
            self._redraw(changed)

    def underline(self, span: tuple[int, int] | None) -> None:
        if span != self.span:
            self.span = span
            self._redraw((self.cursor,))

    def search(self, needle: str) -> None:
        self.needle = needle.lower()
        self._strips.clear()
        self.refresh()

    def fold(self, folded: Mapping[int, int], hidden: frozenset[int] | set[int]) -> None:
        """Leave out the lines of `folded` (heading -> the first line after its fold) and of `hidden`."""
        self._rows, self._folded = line_folding.fold_rows(len(self.lines), folded, hidden)
        self._strips.clear()
        highest = max((number or 0 for number in self._numbers or ()), default=0)
        self._gutter = len(str(max(highest, len(self.lines)))) + 2
        self.virtual_size = Size(self._width + self._gutter, len(self._rows))
        if self._rows and self._row(self.cursor) is None:
            self.go(self._rows[max(0, bisect_left(self._rows, self.cursor) - 1)])
        self.refresh()

    def text_of(self, line: int) -> str:
        """A line as it is shown, "" if there is none."""
        return line_folding.format_line(self.lines[line]) if 0 <= line < len(self.lines) else ""

    def sight(self) -> range:
        """The rows in sight."""
        top = self.scroll_offset.y
        return range(top, top + max(1, self.scrollable_content_region.height))

    def bring_in_sight(self, lines: Sequence[int]) -> None:
        """Scroll to the first of `lines`, unless one of them is in sight. The cursor does not move."""
        rows = [row for line in lines[:200] if (row := self._row(line)) is not None]
        if rows and not any(row in self.sight() for row in rows):
            self.scroll_to(y=max(0, rows[0] - self.size.height // 3), animate=False, immediate=True)

    def _redraw(self, lines: Collection[int]) -> None:
        """Draw these lines again. Scrolling draws everything anyway."""
        sight = self.sight()
        if len(lines) > len(sight):
            self.refresh()
            return
        for line in lines:
            row = self._row(line)
            if row is not None and row in sight:
                self.refresh_line(row)

    def _row(self, line: int) -> int | None:
        return line_folding.row_of(self._rows, line)

    # ---- the cursor

    def go(self, line: int, column: int | None = None, *, centre: bool = False) -> None:
        """Put the cursor on a line, or on the nearest one if that is folded away."""
        if not self._rows:
            return
        if self._row(line) is None:
            line = self._rows[min(bisect_left(self._rows, line), len(self._rows) - 1)]
        left, self.cursor, self.span = self.cursor, line, None
        if column is not None:
            self.column = column
        self._keep_in_sight(centre=centre)
        self._redraw((left, line))
        self.post_message(self.Moved(self))

    def _keep_in_sight(self, *, centre: bool = False) -> None:
        row = self._row(self.cursor)
        height = self.scrollable_content_region.height
        if row is None or not height:
            return
        top = self.scroll_offset.y
        if not top <= row < top + height:
            top = line_folding.top_for(row, top, height, centre=centre)
            self.scroll_to(y=top, animate=False, immediate=True)
        left, width = self.scroll_offset.x, self.size.width - self._gutter - 1
        column = min(self.column, len(self.text_of(self.cursor)))
        if not left <= column < left + width:
            left = max(0, column - width + 8) if column >= left + width else max(0, column - 8)
            self.scroll_to(x=left, animate=False, immediate=True)

    def on_resize(self) -> None:
        self._keep_in_sight()

    def action_move(self, step: int) -> None:
        row = self._row(self.cursor)
        if row is not None:
            self.go(self._rows[max(0, min(len(self._rows) - 1, row + step))])

    def action_page(self, step: int) -> None:
        self.action_move(step * max(1, self.scrollable_content_region.height - 2))

    def action_edge(self, end: int) -> None:
        if self._rows:
            self.go(self._rows[-1] if end > 0 else self._rows[0], 0)

    def action_column(self, step: int) -> None:
        last = max(0, len(self.text_of(self.cursor)) - 1)
        self.go(self.cursor, max(0, min(last, min(self.column, last) + step)))

    def action_word(self, step: int) -> None:
        there = line_folding.word_from(self.text_of(self.cursor), self.column, step)
        if there is not None:
            self.go(self.cursor, there)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or not self._rows:
            return
        row = min(self.scroll_offset.y + offset.y, len(self._rows) - 1)
        self.go(self._rows[row], max(0, self.scroll_offset.x + offset.x - self._gutter))

    def find(self, step: int) -> bool:
        """Go to the next (or previous) line that contains the needle, around the end."""
        if not self.needle or not self._rows:
            return False
        row = self._row(self.cursor) or 0
        match = line_folding.match_from(self.lines, self._rows, row, self.needle, step)
        if match is not None:
            self.go(*match, centre=True)
        return match is not None

    def next_mark(self, step: int) -> bool:
        """Go to the next (or previous) marked line that follows no other marked line."""
        there = line_folding.mark_from(self._marks, self.cursor, step)
        if there is not None:
            self.go(there, 0, centre=True)
        return there is not None

    # ---- drawing

    def render_line(self, y: int) -> Strip:
        row = self.scroll_offset.y + y
        width = self.size.width
        if row >= len(self._rows):
            return Strip.blank(width, self.visual_style.rich_style)
        line = self._rows[row]
        here = line == self.cursor
        mark = self._marks.get(line, "")
        focused = here and self.has_focus
        key = (
            line,
            mark,
            here,
            focused,
            self.column if here else -1,
            self.span if here else None,
            self.scroll_offset.x,
            width,
        )
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._draw(line, mark, here, focused, width)
        return strip

    def _draw(self, line: int, mark: str, here: bool, focused: bool, width: int) -> Strip:
        base = self.visual_style
        if here:
            base += self.get_visual_style("textview--cursor", partial=True)
        if mark:
            base += self.get_visual_style(f"textview--{mark}", partial=True)
        content = highlight.mark_line(
            self.text_of(line),
            self.language,
            needle=self.needle,
            span=self.span if here else None,
            cursor=self.column if focused else None,
        )
        number = self._numbers[line] if self._numbers is not None else line + 1
        return _make_strip(
            content,
            base,
            base + self.get_visual_style("textview--gutter", partial=True),
            self.app.stylesheet.parse_style,
            number=f"{'' if number is None else number:>{self._gutter - 2}}{_SIGNS[mark]} ",
            left=self.scroll_offset.x,
            width=width,
            hidden=self._folded.get(line, 0),
        )

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()


def _make_strip(
    content: Content,
    base: Style,
    gutter: Style,
    parse_style: Callable[[str | Style], Style],
    *,
    number: str,
    left: int,
    width: int,
    hidden: int,
) -> Strip:
    """`width` cells: `number`, then `content` from its column `left` on.

    `base` and `gutter` are the styles of the text and of the gutter. `hidden`, the number of lines
    folded under this one, is shown at the right edge.
    """
    body_width = max(0, width - len(number))
    segments = [
        Segment(part, style.rich_style)
        for part, style in content.render(base, end="", parse_style=parse_style)
    ]
    body = Strip(segments).crop(left, left + body_width)
    body = body.extend_cell_length(body_width, base.rich_style)
    if hidden:
        note = f" ⋯ {hidden} lines "
        label = Strip([Segment(note, gutter.rich_style)], len(note))
        body = Strip.join([body.crop(0, max(0, body_width - len(note))), label])
    return Strip.join([Strip([Segment(number, gutter.rich_style)], len(number)), body])
