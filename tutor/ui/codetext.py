"""Lines of Python as an editor changes them: comments, indentation, where a text occurs. Pure."""

import re
from collections.abc import Iterator, Sequence

# Strings and comments, so that what is left of a line is its code. A string that is not closed on
# its line is taken to the line's end.
_NO_CODE = re.compile(r"""('(?:\\.|[^'\\])*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$))|\#.*""")
_LEAVES = re.compile(r"(return|pass|break|continue|raise)\b")
MOST_FOUND = 9_999


def toggled_comment(lines: Sequence[str]) -> list[str]:
    """`# ` before every line that says something, at the indentation of the leftmost; or, where
    every such line is a comment already, without its mark."""
    told = [line for line in lines if line.strip()]
    if told and all(line.lstrip().startswith("#") for line in told):
        return [re.sub(r"^(\s*)# ?", r"\1", line) for line in lines]
    column = min((len(_indentation(line)) for line in told), default=0)
    return [f"{line[:column]}# {line[column:]}" if line.strip() else line for line in lines]


def indented(lines: Sequence[str], width: int) -> list[str]:
    """One step of `width` spaces further in; empty lines stay empty."""
    return [" " * width + line if line.strip() else line for line in lines]


def dedented(lines: Sequence[str], width: int) -> list[str]:
    """One step of at most `width` spaces, or one tab, further out."""
    return [re.sub(rf"^(\t| {{1,{width}}})", "", line) for line in lines]


def indentation_after(before: str, width: int) -> str:
    """What the next line begins with, when the line is `before` up to the cursor: a step more after
    a colon or an open bracket, a step less after a statement that leaves the block."""
    indentation = _indentation(before)
    code = _NO_CODE.sub(lambda found: "''" if found[1] else "", before).strip()
    open_brackets = sum(c in "([{" for c in code) - sum(c in ")]}" for c in code)
    if code.endswith((":", "(", "[", "{")):
        return indentation + " " * width
    if _LEAVES.match(code) and open_brackets <= 0 and not code.endswith("\\"):
        return dedented([indentation], width)[0]
    return indentation


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def occurrences(lines: Sequence[str], needle: str, *, capitals: bool) -> Iterator[tuple[int, int]]:
    """(row, column) of each place where `needle` stands, from the top; at most `MOST_FOUND`.
    `capitals`: whether they make a difference."""
    pattern = needle_pattern(needle, capitals=capitals)
    left = MOST_FOUND
    for row, line in enumerate(lines) if needle else ():
        for found in pattern.finditer(line):
            yield row, found.start()
            left -= 1
            if not left:
                return


def needle_pattern(needle: str, *, capitals: bool) -> re.Pattern[str]:
    """Matched, not lowered and compared: a letter's small form may have another length."""
    return re.compile(re.escape(needle), 0 if capitals else re.IGNORECASE)
