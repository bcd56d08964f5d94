"""Reads `lessons/glossary.toml`: each term, op, layout and instruction in a sentence or two, sourced.

`explain` finds the one that stands under a cursor in a compiler's text.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tutor.course.reading.faults import format_value
from tutor.course.reading.toml_table import Table, read_table

KINDS = ("term", "op", "layout", "instruction", "stage")
# The languages of an X-ray's stages, to which an entry's patterns may be confined.
LANGUAGES = (
    "python",
    "bytecode",
    "fx",
    "text",
    "inductor",
    "mlir",
    "hlo",
    "onnx",
    "ttir",
    "ttgir",
    "llvm",
    "ptx",
    "sass",
    "amdgcn",
    "asm",
    "cpp",
    "cuda",
)
_ID = r"[a-z0-9]+(-[a-z0-9]+)*"
_AROUND = 240  # characters before and after a cursor that patterns are run over


@dataclass(frozen=True)
class Term:
    """A glossary entry. `match`: regular expressions for its forms in a text; each fits whole words.

    `languages`: the stages' languages in which `match` counts; empty for all of them.
    `ordinary`: the term is also an ordinary word, so that a lesson need not link it.
    """

    id: str
    term: str
    kind: str
    says: str
    source: str
    match: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    days: tuple[int, ...] = ()
    rev: int = 1
    ordinary: bool = False
    line: int = 0  # where it stands in its file

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """All of `match` as one expression; None where there is nothing to match."""
        return whole_words("|".join(f"(?:{one})" for one in self.match)) if self.match else None


def whole_words(pattern: str) -> re.Pattern[str]:
    """`pattern`, where neither end lies inside a word. Raises `re.error`."""
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)")


def read_glossary(path: Path) -> tuple[Term, ...]:
    """The entries of a file, in its order. Raises `CourseFault` with all mistakes of the file."""
    file = read_table(path)
    terms: list[Term] = []
    ids: set[str] = set()
    claimed: dict[tuple[str, str], str] = {}  # (pattern, language) -> the entry that has it
    for table in file.tables("term", least=1):
        term = _term(table)
        if term.id and term.id in ids:
            table.fault("id", "an id of its own", f"{term.id} again")
        ids.add(term.id)
        for pattern in term.match:
            for language in term.languages or LANGUAGES:
                other = claimed.setdefault((pattern, language), term.id)
                if other != term.id:
                    clash = f"{format_value(pattern)}, which {other} has for {language}"
                    table.fault("match", "patterns of no other term", clash)
                    break
        table.finish("a term")
        terms.append(term)
    file.finish("a glossary")
    file.raise_faults()
    return tuple(terms)


def _term(table: Table) -> Term:
    match = table.texts("match")
    for i, pattern in enumerate(match, 1):
        try:
            empty = whole_words(pattern).search("") or whole_words(pattern).search(" ")
        except re.error as error:
            table.fault(f"match.{i}", "a regular expression", f"{format_value(pattern)}: {error}")
            continue
        if empty:
            table.fault(f"match.{i}", "a pattern that needs a character", format_value(pattern))
    languages = table.texts("in")
    for i, language in enumerate(languages, 1):
        if language not in LANGUAGES:
            table.fault(f"in.{i}", "one of " + ", ".join(LANGUAGES), format_value(language))
    return Term(
        id=table.matching("id", _ID, "lower-case words joined by hyphens"),
        term=table.text("term"),
        kind=table.one_of("kind", KINDS),
        says=table.text("says"),
        source=table.text("source"),
        match=match,
        languages=languages,
        days=table.integers("days"),
        rev=table.integer("rev", 1, default=1),
        ordinary=table.flag("ordinary"),
        line=table.line(),
    )


@dataclass(frozen=True)
class TermMatch:
    """A term where it stands in a line: columns `start` to `end`, from 0, `end` not included."""

    term: Term
    start: int
    end: int


def explain(terms: Iterable[Term], line: str, column: int, language: str) -> TermMatch | None:
    """Find the term at `column` of `line`: the longest match around it, else the first to its right,
    else the last before it. Of equal
    matches the later entry's, so that a special case may follow the general one."""
    offset = max(0, column - _AROUND)
    near, column = line[offset : column + _AROUND], column - offset
    best: TermMatch | None = None
    rank: tuple[int, int, int] | None = None
    for term in terms:
        if not term.pattern or (term.languages and language not in term.languages):
            continue
        for match in term.pattern.finditer(near):
            start, end = match.span()
            here = start <= column < end
            distance = 0 if here else start - column if start > column else column - end + 10_000
            this = (distance, start - end, start)
            if rank is None or this <= rank:
                best, rank = TermMatch(term, offset + start, offset + end), this
    return best


def stage_term(terms: Iterable[Term], name: str) -> Term | None:
    """The entry that explains a stage of the lowering ladder, by the stage's name ("ttgir")."""
    wanted = f"stage-{name.replace('_', '-')}"
    return next((term for term in terms if term.id == wanted), None)
