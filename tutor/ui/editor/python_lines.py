"""Edits of Python lines: comments, indentation, and the places of a text. Pure."""

import re
from collections.abc import Iterator, Sequence

# Strings and comments; the rest of a line is its code. A string that is not closed on its line goes to
# the line's end.
_NO_CODE = re.compile(r"""('(?:\\.|[^'\\])*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$))|\#.*""")
_LEAVES = re.compile(r"(return|pass|break|continue|raise)\b")
MOST_FOUND = 9_999


def toggle_comment(lines: Sequence[str]) -> list[str]:
    """Put `# ` before every line that is not blank, at the smallest indentation. If all of them are
    comments already, remove the marks."""
    filled = [line for line in lines if line.strip()]
    if filled and all(line.lstrip().startswith("#") for line in filled):
        return [re.sub(r"^(\s*)# ?", r"\1", line) for line in lines]
    column = min((len(_indentation(line)) for line in filled), default=0)
    return [f"{line[:column]}# {line[column:]}" if line.strip() else line for line in lines]


def indent(lines: Sequence[str], width: int) -> list[str]:
    """Move lines a step of `width` spaces in; empty lines stay empty."""
    return [" " * width + line if line.strip() else line for line in lines]


def dedent(lines: Sequence[str], width: int) -> list[str]:
    """Move lines a step of at most `width` spaces, or one tab, out."""
    return [re.sub(rf"^(\t| {{1,{width}}})", "", line) for line in lines]


def indentation_after(before: str, width: int) -> str:
    """The indentation of the next line. `before` is the line up to the cursor.

    It is one step more after a colon or an open bracket, and one step less after a statement that leaves
    the block."""
    indentation = _indentation(before)
    code = _code(before)
    if code.endswith((":", "(", "[", "{")):
        return indentation + " " * width
    if _LEAVES.match(code) and _open_brackets(code) <= 0 and not code.endswith("\\"):
        return dedent([indentation], width)[0]
    return indentation


def _code(line: str) -> str:
    """The line without comments, and with empty strings."""
    return _NO_CODE.sub(lambda found: "''" if found[1] else "", line).strip()


def _open_brackets(code: str) -> int:
    return sum(c in "([{" for c in code) - sum(c in ")]}" for c in code)


# Clause -> the words that begin its statement, and the clauses that may come just before it.
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
    """The indentation of the statement that the clause in `line` belongs to.

    `line` is typed up to its colon, and still has the indentation of the body above, such as `else:`
    below the body of an `if`. None if its indentation is right, or if no statement fits."""
    match = _CLAUSE.match(line)
    if match is None or _open_brackets(_code(line)) > 0:
        return None
    clause = next(filter(None, match.groups()))
    own = _indentation(line)
    if _goes_on(clause, above, own):
        return None
    outer = next((i for i in map(_indentation, _statements(above)) if len(i) < len(own)), None)
    return outer if outer is not None and _goes_on(clause, above, outer) else None


def _goes_on(clause: str, above: Sequence[str], indentation: str) -> bool:
    """Return True if `clause` can follow the last statement at this indentation. A line further out
    ends that statement."""
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
            before = _CLAUSES[name][1]  # the statement of that earlier clause decides
    return False


def _statements(above: Sequence[str]) -> Iterator[str]:
    """The lines that show where blocks begin, the nearest first."""
    for line in reversed(above):
        code = line.strip()
        if code and code[0] not in "#)]}":
            yield line


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def find_occurrences(
    lines: Sequence[str], needle: str, *, capitals: bool
) -> Iterator[tuple[int, int]]:
    """(row, column) of each match of `needle`, from the top, at most `MOST_FOUND`. With `capitals`, the
    case of letters matters."""
    pattern = needle_pattern(needle, capitals=capitals)
    left = MOST_FOUND
    for row, line in enumerate(lines) if needle else ():
        for match in pattern.finditer(line):
            yield row, match.start()
            left -= 1
            if not left:
                return


def needle_pattern(needle: str, *, capitals: bool) -> re.Pattern[str]:
    """A pattern for `needle`. Lowering both texts would not do: a lower-case form may be longer."""
    return re.compile(re.escape(needle), 0 if capitals else re.IGNORECASE)
