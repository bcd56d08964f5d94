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
    """Move lines a step of `width` spaces in; empty lines stay empty."""
    return [" " * width + line if line.strip() else line for line in lines]


def dedented(lines: Sequence[str], width: int) -> list[str]:
    """Move lines a step of at most `width` spaces, or one tab, out."""
    return [re.sub(rf"^(\t| {{1,{width}}})", "", line) for line in lines]


def indentation_after(before: str, width: int) -> str:
    """The indentation of the next line, when the line is `before` up to the cursor: a step more after
    a colon or an open bracket, a step less after a statement that leaves the block."""
    indentation = _indentation(before)
    code = _code(before)
    if code.endswith((":", "(", "[", "{")):
        return indentation + " " * width
    if _LEAVES.match(code) and _open_brackets(code) <= 0 and not code.endswith("\\"):
        return dedented([indentation], width)[0]
    return indentation


def _code(line: str) -> str:
    """Without comments, and with empty strings."""
    return _NO_CODE.sub(lambda found: "''" if found[1] else "", line).strip()


def _open_brackets(code: str) -> int:
    return sum(c in "([{" for c in code) - sum(c in ")]}" for c in code)


# A clause -> what may begin its statement, and which part of that may stand just before it.
_CLAUSES = {
    "else": ({"if", "for", "while", "try"}, {"if", "elif", "for", "while", "except"}),
    "elif": ({"if"}, {"if", "elif"}),
    "except": ({"try"}, {"try", "except"}),
    "finally": ({"try"}, {"try", "except", "else"}),
    "case": ({"case"}, {"case"}),
}
_CLAUSE = re.compile(r"\s+(?:(else|finally)\s*|(except)\b.*|(elif|case)\b.+):\s*$")
_WORD = re.compile(r"\s*(?:async\s+)?([a-z]+)\b")


def clause_indentation(above: Sequence[str], line: str) -> str | None:
    """The indentation of the block that `line`, just typed up to its colon at the indentation of that
    block's body, goes on with: `else:` below the body of an `if`. None where it stands right, or
    goes on with nothing."""
    found = _CLAUSE.match(line)
    if found is None or _open_brackets(_code(line)) > 0:
        return None
    clause = next(filter(None, found.groups()))
    own = _indentation(line)
    if _goes_on(clause, above, own):
        return None
    outer = next((i for i in map(_indentation, _statements(above)) if len(i) < len(own)), None)
    return outer if outer is not None and _goes_on(clause, above, outer) else None


def _goes_on(clause: str, above: Sequence[str], indentation: str) -> bool:
    """Return True if the last statement at this indentation, with nothing further out since, is one
    that `clause` can go on with."""
    begins, before = _CLAUSES[clause]
    for line in _statements(above):
        column = len(_indentation(line))
        if column < len(indentation):
            return False
        if column == len(indentation):
            word = _WORD.match(line)
            name = word[1] if word else ""
            if name not in before or name in begins:
                return name in before
            if name not in _CLAUSES:
                return False
            before = _CLAUSES[name][1]  # what the clause before goes on with decides
    return False


def _statements(above: Sequence[str]) -> Iterator[str]:
    """The lines that can tell where blocks are, the nearest first."""
    for line in reversed(above):
        told = line.strip()
        if told and told[0] not in "#)]}":
            yield line


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
