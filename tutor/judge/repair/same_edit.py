"""The same mistake in another exercise: a wrong answer of its author whose edit is undone as a learner's
is, whatever the names are."""

import builtins
import io
import keyword
import tokenize
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from tutor.base.errors import UsageError
from tutor.course.catalog.course import Course
from tutor.course.reading.wrong_answers import read_wrong_answers

# What an edit replaces by what, one pair for each place: texts of tokens, plain names as numbers.
Form = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]

_MOST_ROWS = 3  # of an edit that is shown as an example
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
_KNOWN = {"tl", "torch", "triton", *keyword.kwlist, *dir(builtins)}


@dataclass(frozen=True)
class SameEdit:
    """Rows of another exercise: as a wrong answer has them, and as its solution does. `title` is the
    exercise's."""

    title: str
    wrong: tuple[str, ...]
    right: tuple[str, ...]


def find_same_edit(change: str, course: Course, solved: Collection[str]) -> SameEdit | None:
    """Return a wrong answer of an exercise of `solved`, the newest first, that is mended as `change`,
    lines with - and +, mends a learner's program. None if there is none, or if the change says too
    little without its names. An exercise whose files cannot be read is left out."""
    rows = change.split("\n")
    gone = [row[1:] for row in rows if row.startswith("-")]
    wanted = form_of(gone, [row[1:] for row in rows if row.startswith("+")])
    if not wanted:
        return None
    known = [each.slug for each in course.overview().exercises if each.slug in solved]
    for slug in reversed(known):
        try:
            exercise = course.exercise(slug)
            right = exercise.solution.read_text(encoding="utf-8").split("\n")
            answers = read_wrong_answers(exercise.folder)
        except (UsageError, OSError):
            continue
        for answer in answers:
            wrong, mended = _differing_rows(answer.code.split("\n"), right)
            small = 0 < max(len(wrong), len(mended)) <= _MOST_ROWS
            if small and form_of(wrong, mended) == wanted:
                return SameEdit(exercise.title, tuple(wrong), tuple(mended))
    return None


def form_of(before: Sequence[str], after: Sequence[str]) -> Form:
    """Return the form of the edit from some rows to others; () where only names and numbers change, or
    where the rows are no tokens of Python."""
    try:
        old, new = _tokens(before), _tokens(after)
    except (tokenize.TokenError, SyntaxError):
        return ()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    places = [(old[a:b], new[c:d]) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]
    changed = [word for pair in places for side in pair for word in side]
    if not any(_says_something(word) for word in changed):
        return ()
    names = {word: f"name {n}" for n, word in enumerate(dict.fromkeys(filter(_is_name, changed)))}
    return tuple(
        (
            tuple(names.get(word, word) for word in gone),
            tuple(names.get(word, word) for word in put),
        )
        for gone, put in places
    )


def _tokens(rows: Sequence[str]) -> list[str]:
    """Return the rows' tokens. An attribute has its dot, an argument's keyword its `=`: they are no
    names of the program's own."""
    tokens: list[str] = []
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO("\n".join(rows) + "\n").readline):
        if token.type in _LAYOUT or token.type == tokenize.ENDMARKER:
            continue
        depth += (token.string in "([{") - (token.string in ")]}")
        if tokens and tokens[-1] == "." and token.type == tokenize.NAME:
            tokens[-1] = f".{token.string}"
        elif depth > 0 and token.string == "=" and tokens and _is_name(tokens[-1]):
            tokens[-1] += "="
        else:
            tokens.append(token.string)
    return tokens


def _is_name(word: str) -> bool:
    return word.isidentifier() and word not in _KNOWN


def _says_something(word: str) -> bool:
    return not _is_name(word) and not word[0].isdigit() and word not in "(),"


def _differing_rows(wrong: list[str], right: list[str]) -> tuple[list[str], list[str]]:
    """Return the rows in which two programs differ, from the first one to the last."""
    start, end = 0, 0
    while start < min(len(wrong), len(right)) and wrong[start] == right[start]:
        start += 1
    while end < min(len(wrong), len(right)) - start and wrong[-1 - end] == right[-1 - end]:
        end += 1
    return wrong[start : len(wrong) - end], right[start : len(right) - end]
