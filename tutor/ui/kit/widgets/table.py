"""A table of a text whose columns are as wide as their content needs."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.css.scalar import Scalar
from textual.geometry import Size
from textual.layout import ArrangeResult, Layout
from textual.layouts.grid import GridLayout
from textual.widget import Widget
from textual.widgets._markdown import (  # the public module leaves them out
    MarkdownTable,
    MarkdownTableContent,
)

from tutor.ui.kit.text.whole_code import WholeCode, glue_code

_PADDING = 2  # columns beside the text of a cell


class FittedTable(MarkdownTable):
    """Textual's table with our widths: it narrows the first columns to their longest word."""

    def compose(self) -> ComposeResult:
        headers, rows = self._get_headers_and_rows()
        self._headers = [WholeCode(cell) for cell in headers]
        self._rows = [[WholeCode(cell) for cell in row] for row in rows]
        yield TableContent(self._headers, self._rows)


class TableContent(MarkdownTableContent):
    """Textual's table, laid out by the longest word and the longest line of each column."""

    DEFAULT_CSS = """
    TableContent > .cell, TableContent > .header { text-overflow: fold; }
    """

    def __init__(self, headers: list[Content], rows: list[list[Content]]) -> None:
        super().__init__(headers, rows)
        columns = [[head, *(row[at] for row in rows)] for at, head in enumerate(headers)]
        self._least = [_PADDING + max(map(_longest_word, column)) for column in columns]
        self._want = [_PADDING + max(_longest_line(cell) for cell in column) for column in columns]
        self._columns = _Columns()

    @property
    def layout(self) -> Layout:
        return self._columns

    def pre_layout(self, layout: Layout) -> None:
        super().pre_layout(layout)
        grid = self._columns
        grid.auto_minimum = grid.shrink = False
        room = grid.room - 2 - (len(self._want) - 1)  # without the lines
        columns = column_widths(self._least, self._want, room)
        scalars = tuple(map(Scalar.from_number, columns))
        self.styles.inline.set_rule("grid_columns", scalars)  # without another layout


class _Columns(GridLayout):
    """A grid that knows its width before it asks its table for columns."""

    room = 0

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        self.room = size.width
        return super().arrange(parent, children, size, greedy)


def column_widths(least: Sequence[int], want: Sequence[int], room: int) -> list[int]:
    """The width of each column: what it wants where there is room. Else columns that want no more
    than their share get it, and the others have the rest in proportion, none less than its longest
    word."""
    if sum(want) <= room:
        return list(want)
    if sum(least) > room:
        return _share_room([0] * len(least), least, room)
    settled, rest = dict[int, int](), set(range(len(want)))
    while True:
        left = room - sum(settled.values())
        content = {
            at
            for at in rest
            if want[at] * len(rest) <= left
            and left - want[at] >= sum(least[other] for other in rest - {at})
        }
        if not content:
            break
        at = min(content, key=lambda at: want[at])
        settled[at] = want[at]
        rest.remove(at)
    others = sorted(rest)
    shares = _share_room([least[at] for at in others], [want[at] for at in others], left)
    settled |= dict(zip(others, shares, strict=True))
    return [settled[at] for at in range(len(want))]


def _share_room(least: Sequence[int], want: Sequence[int], room: int) -> list[int]:
    """`room` columns: `least` of each, and what is left in proportion to what each one lacks."""
    lacking = [wide - low for wide, low in zip(want, least, strict=True)]
    left, lacks = room - sum(least), sum(lacking)
    shares = []
    for low, more in zip(least, lacking, strict=True):
        share = round(left * more / lacks) if lacks else 0
        shares.append(max(1, low + share))
        left, lacks = left - share, lacks - more
    return shares


def _longest_line(cell: Content) -> int:
    return max((Content(line).cell_length for line in cell.plain.split("\n")), default=0)


def _longest_word(cell: Content) -> int:
    return max((Content(word).cell_length for word in glue_code(cell).split()), default=0)
