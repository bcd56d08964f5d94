"""Code, differences and reports broken at words, so that no line needs sideways scrolling. Pure."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from textual.content import Content

_MARGIN = re.compile(r"[ +-]? *(?:# )?")  # what the next lines of a broken line stand below
_STEP = 4  # columns that code goes in when its line is broken
_MARK = re.compile(r" *(?:(?:[-•│]|\d+\.(?: [✓□])?) )?")  # of a list, a task or a quotation
_LEAST = 20  # columns for words: narrower margins are dropped


_COMMENT = re.compile(r"([ +-]? *# )(?=\S)")  # a line that is nothing else
_FULL = 90  # columns of a line whose next word did not fit: its comment goes on in the next line


def wrap_code(text: Content, width: int) -> Content:
    """Break lines longer than `width` columns. The lines of a comment are filled anew, each with its
    mark; code goes on one step further in. The styles of the text stay."""
    return Content("\n").join(
        part
        for line in _join_comments(text.split("\n", allow_blank=True), width)
        for part in _parts(line, width, _code_margin(line.plain), repeats=_is_comment(line.plain))
    )


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


def _is_comment(line: str) -> bool:
    return _COMMENT.match(line) is not None


def _join_comments(lines: Sequence[Content], width: int) -> Iterator[Content]:
    """Make one line of those of a comment's paragraph that has one longer than `width`."""
    rest = deque(lines)
    while rest:
        paragraph = [rest.popleft()]
        mark = _COMMENT.match(paragraph[0].plain)
        while mark and rest and _goes_on(paragraph[-1].plain, rest[0].plain, mark[0]):
            paragraph.append(rest.popleft())
        if mark is None or all(len(line) <= width for line in paragraph):
            yield from paragraph
        else:
            yield Content(" ").join([paragraph[0], *(line[mark.end() :] for line in paragraph[1:])])


def _goes_on(line: str, following: str, mark: str) -> bool:
    """Return True if the next line begins with a word that did not fit into this one."""
    after = _COMMENT.match(following)
    word = following[len(mark) :].partition(" ")[0]
    return after is not None and after[0] == mark and len(line) + 1 + len(word) > _FULL


def _parts(line: Content, width: int, margin: int, *, repeats: bool = False) -> Iterator[Content]:
    """Break a line; `repeats`: what stands in its margin stands before each part."""
    margin = margin if width - margin >= _LEAST else 0
    blanks = line[:margin] if repeats else Content(" " * margin)
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
