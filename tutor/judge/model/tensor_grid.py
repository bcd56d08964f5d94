"""A tensor drawn in few characters: its elements in rows, and the rows divided into cells. Pure.

Sets of elements are blocks: `count` runs of `length` neighbours, the first at `start`, `pitch` elements
from the start of one to the next. A tile of a matrix, a column (length 1) and a run of neighbours
(count 1) are each one block. Elements are numbered in row-major order.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

Block = tuple[int, int, int, int]  # start, length, count, pitch


@dataclass(frozen=True)
class Grid:
    """Rows of `width` elements each (the last may be short), in cells of `high` by `wide` elements."""

    total: int
    width: int
    high: int = 1
    wide: int = 1

    @property
    def lines(self) -> int:
        """Rows of elements."""
        return -(-self.total // self.width)

    @property
    def rows(self) -> int:
        """Rows of cells."""
        return -(-self.lines // self.high)

    @property
    def columns(self) -> int:
        """Columns of cells."""
        return -(-self.width // self.wide)

    def size(self, row: int, column: int) -> int:
        """Return the number of elements in a cell; 0 beyond the last element."""
        first, last = column * self.wide, min((column + 1) * self.wide, self.width)
        above, below = row * self.high, min((row + 1) * self.high, self.lines)
        full, rest = divmod(self.total, self.width)
        whole = max(0, min(below, full) - above) * (last - first)
        in_rest = min(max(rest - first, 0), last - first) if above <= full < below else 0
        return whole + in_rest

    def counts(self, blocks: Iterable[Block]) -> list[list[int]]:
        """Count the elements of the blocks in each cell."""
        counts = [[0] * self.columns for _ in range(self.rows)]
        for start, length in split_into_runs(blocks):
            at, end = start, start + length
            while at < end:
                line, column = divmod(at, self.width)
                cell = column // self.wide
                step = min(end - at, (cell + 1) * self.wide - column, self.width - column)
                counts[line // self.high][cell] += step
                at += step
        return counts


def split_into_runs(blocks: Iterable[Block]) -> Iterator[tuple[int, int]]:
    """Yield the runs of neighbours as start and length."""
    for start, length, count, pitch in blocks:
        for i in range(count):
            yield start + i * pitch, length


def elements(blocks: Iterable[Block]) -> Iterator[int]:
    """Yield the numbers of all elements in the blocks, in order."""
    for start, length in split_into_runs(blocks):
        yield from range(start, start + length)


def union(blocks: Iterable[Block]) -> list[Block]:
    """Return the same elements, each in one block only."""
    merged: list[tuple[int, int]] = []
    for start, length in sorted(split_into_runs(blocks)):
        if merged and start <= sum(merged[-1]):
            first, known = merged[-1]
            merged[-1] = first, max(known, start + length - first)
        else:
            merged.append((start, length))
    return join_runs(merged)


def join_runs(runs: Iterable[tuple[int, int]]) -> list[Block]:
    """Join runs (start, length) in rising order: equal runs at one distance become one block."""
    blocks: list[Block] = []
    for start, length in runs:
        if blocks:
            first, known, count, pitch = blocks[-1]
            distance = start - first
            if length == known and (count == 1 or distance == count * pitch):
                blocks[-1] = (first, known, count + 1, pitch if count > 1 else distance)
                continue
        blocks.append((start, length, 1, length))
    return blocks


def make_grid(shape: tuple[int, ...], most_rows: int, most_columns: int) -> Grid:
    """Return the grid of at most so many cells for a tensor with at least one element.

    The last dimension is along a row and all others are down. A tensor with only one dimension longer
    than 1 is folded into rows of a power of two. Cells have powers of two as tiles have, so their edges
    meet.
    """
    total = math.prod(shape)
    width = total if is_line(shape) else shape[-1]
    if is_line(shape) and width > most_columns:
        fits = 1 << (most_columns.bit_length() - 1)
        width = power_of_two(max(fits, -(-width // most_rows)))
    lines = -(-total // width)
    return Grid(
        total, width, power_of_two(-(-lines // most_rows)), power_of_two(-(-width // most_columns))
    )


def is_line(shape: tuple[int, ...]) -> bool:
    """Return True if at most one dimension of the shape has more than one element."""
    return sum(n > 1 for n in shape) < 2


def power_of_two(at_least: int) -> int:
    """Return the least power of two that is not below `at_least` (1 or more)."""
    return 1 << (at_least - 1).bit_length()


def draw_grid(grid: Grid, shape: tuple[int, ...], glyph: Callable[[int, int], str]) -> list[str]:
    """Return lines of text: column numbers, then a line for each row of cells after its indices.

    `glyph(row, column)` returns a character for a cell that has elements.
    """
    labels = [row_label(grid, shape, row) for row in range(grid.rows)]
    room = max(map(len, labels))
    last = str(grid.width - 1)
    gap = grid.columns - 1 - len(last)
    head = "0" + (" " * gap + last if gap > 0 else f"–{last}" if grid.width > 1 else "")
    drawn = [
        "".join(
            glyph(row, column) if grid.size(row, column) else " " for column in range(grid.columns)
        ).rstrip()
        for row in range(grid.rows)
    ]
    return [
        f"{'':{room}} {head}",
        *(f"{label:>{room}} {cells}" for label, cells in zip(labels, drawn, strict=True)),
    ]


def row_label(grid: Grid, shape: tuple[int, ...], row: int) -> str:
    """Return the first and last index of a row of cells, such as `0–31` or `head,token`."""
    first, last = row * grid.high, min((row + 1) * grid.high, grid.lines) - 1
    if is_line(shape):
        if grid.lines == 1:
            return ""
        first, last = first * grid.width, min((last + 1) * grid.width, grid.total) - 1
        return f"{first}–{last}" if first < last else str(first)
    begin, end = (",".join(map(str, index_of(element, shape[:-1]))) for element in (first, last))
    return begin if first == last else f"{begin}–{end}"


def index_of(element: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the index of an element by its row-major number."""
    index: list[int] = []
    for size in reversed(shape):
        element, at = divmod(element, size)
        index.insert(0, at)
    return tuple(index)


def scale_words(grid: Grid, shape: tuple[int, ...]) -> str:
    """Return the scale, such as `one mark: 2 rows × 4 columns`, or "" for one element."""
    if grid.high * grid.wide == 1:
        return ""
    if is_line(shape):
        return f"one mark: {grid.wide} elements"  # a row of cells is then one row of elements
    parts = [
        f"{n} {name}s" if n > 1 else f"1 {name}"
        for n, name in ((grid.high, "row"), (grid.wide, "column"))
    ]
    return f"one mark: {' × '.join(parts)}"
