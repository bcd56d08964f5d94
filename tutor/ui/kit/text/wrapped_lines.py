"""Code, differences and reports broken at words, so that no line needs sideways scrolling. Pure."""

import re
from collections.abc import Callable, Iterator

from textual.content import Content

_MARGIN = re.compile(r"[ +-]? *(?:# )?")  # what the next lines of a broken line stand below
_STEP = 4  # columns that code goes in when its line is broken
_MARK = re.compile(r" *(?:(?:[-•│]|\d+\.(?: [✓□])?) )?")  # of a list, a task or a quotation
_LEAST = 20  # columns for words: narrower margins are dropped


def wrap_code(text: Content, width: int) -> Content:
    """Break lines longer than `width` columns. A comment goes on below its first word, code one step
    further in; the styles of the text stay."""
    return _break_lines(text, width, _code_margin)


def wrap_prose(text: Content, width: int) -> Content:
    """Break lines as `wrap_code` does, for prose: a list's item goes on below its first word."""
    return _break_lines(text, width, _prose_margin)


def wrap_list(text: Content, width: int) -> Content:
    """Break lines as `wrap_prose` does; an indented line without a mark goes on two columns in."""
    return _break_lines(text, width, _item_margin)


def _break_lines(text: Content, width: int, margin_of: Callable[[str], int]) -> Content:
    return Content("\n").join(
        part
        for line in text.split("\n", allow_blank=True)
        for part in _parts(line, width, margin_of(line.plain))
    )


def _parts(line: Content, width: int, margin: int) -> Iterator[Content]:
    margin = margin if width - margin >= _LEAST else 0
    blanks = Content(" " * margin)
    start, room = 0, width
    while len(line) - start > room:
        end = _break(line.plain, start, start + room, margin if start == 0 else start)
        yield (blanks if start else Content()) + line[start:end].rstrip()
        start, room = end, width - margin
        while line.plain[start : start + 1] == " ":
            start += 1
    yield (blanks if start else Content()) + line[start:]


def _code_margin(line: str) -> int:
    margin = _MARGIN.match(line)
    before = margin[0] if margin else ""
    return len(before) + (0 if before.endswith("# ") else _STEP)


def _prose_margin(line: str) -> int:
    mark = _MARK.match(line)
    return len(mark[0]) if mark else 0


def _item_margin(line: str) -> int:
    margin = _prose_margin(line)
    return margin + 2 if 0 < margin == len(line) - len(line.lstrip()) else margin


def _break(line: str, start: int, end: int, least: int) -> int:
    """Where to break: after the last blank before `end`, or at `end` in a word without one."""
    at = line.rfind(" ", max(start, least) + 1, end + 1)
    return at if at > start else end
