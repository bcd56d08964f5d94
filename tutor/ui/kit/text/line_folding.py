"""Folds, words and matches in the lines of a long text. Pure.

Lines and columns count from 0. A row is the place of a line among those that are not folded away.
"""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence

from tutor.ui.kit.text.safe_text import make_visible

COLUMNS = 2_000  # shown of a line


def format_line(line: str) -> str:
    """A line as it is shown: with blanks for tabs, pictures for control codes, and a limited length."""
    return make_visible(line[:COLUMNS].expandtabs(8))[:COLUMNS]


def width(lines: Sequence[str]) -> int:
    """An upper bound of the columns that the longest line needs."""
    longest = max((len(line) + 7 * line.count("\t") for line in lines), default=0)
    return min(longest, COLUMNS) + 1


def fold_rows(
    count: int, folded: Mapping[int, int], hidden: Collection[int]
) -> tuple[Sequence[int], dict[int, int]]:
    """The lines that stay of `count`, and for each heading the number of lines that it hides.

    `folded`: heading -> the first line after its fold; `hidden`: lines that are left out anyway.
    """
    if not folded and not hidden:
        return range(count), {}
    stay: list[int] = []
    hides: dict[int, int] = {}
    skip_to = 0
    for i in range(count):
        if i < skip_to or i in hidden:
            continue
        stay.append(i)
        if i in folded:
            skip_to = folded[i]
            hides[i] = skip_to - i - 1
    return stay, hides


def row_of(rows: Sequence[int], line: int) -> int | None:
    """The row of a line, None if it is folded away."""
    if isinstance(rows, range):
        return line if line in rows else None
    row = bisect_left(rows, line)
    return row if row < len(rows) and rows[row] == line else None


def top_for(row: int, top: int, height: int, *, centre: bool) -> int:
    """The new first row, so that `row` is in sight; it is not among the `height` rows from `top` on.

    A near row comes to the edge; a far one, or any with `centre`, to the middle."""
    if centre or not top - 2 <= row <= top + height + 1:
        return max(0, row - height // 2)
    return row if row < top else row - height + 1


def word_from(text: str, column: int, step: int) -> int | None:
    """The start of the next word, or of the previous one (`step` < 0). A dotted name is one word."""
    starts = [
        i for i, c in enumerate(text) if _in_word(c) and (i == 0 or not _in_word(text[i - 1]))
    ]
    return _beyond(starts, column, step)


def _in_word(c: str) -> bool:
    return c.isalnum() or c in "._%#!@$"


def match_from(
    lines: Sequence[str], rows: Sequence[int], row: int, needle: str, step: int
) -> tuple[int, int] | None:
    """The line and column of the next match (or the previous one), around the end; `row` comes last.

    `needle` is in lower case; the case of letters does not matter.
    """
    count = len(rows)
    for distance in range(1, count + 1):
        line = rows[(row + step * distance) % count]
        if needle in lines[line].lower():
            return line, max(0, format_line(lines[line]).lower().find(needle))
    return None


def mark_from(marks: Collection[int], line: int, step: int) -> int | None:
    """The next marked line (or the previous one) that follows no other marked line."""
    return _beyond(sorted(i for i in marks if i - 1 not in marks), line, step)


def _beyond(places: Sequence[int], here: int, step: int) -> int | None:
    """The first of the sorted places after `here`, or the last one before it."""
    if step > 0:
        return next((i for i in places if i > here), None)
    return next((i for i in reversed(places) if i < here), None)
