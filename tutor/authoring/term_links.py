"""Links from a lesson's words to the glossary: which are missing, and how they are written.

A use of a term is its name, its plural or what its `match` fits, as whole words in a paragraph, a
list or a table. Headings, code, links, citations, bold words and questions hold no uses. The word
alone in bold explains the term. A page (a section) links each term at its first use there,
`[kernel](term:kernel)`, unless the lesson has explained it by then. It is a mistake to leave the
link out where no earlier day has explained the term either. An entry with `ordinary = true` is also
an ordinary word: it is linked only by hand.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import ndiff
from functools import cache
from itertools import groupby
from pathlib import Path

from tutor.course.catalog.glossary import Term
from tutor.course.model import Lesson, Prose
from tutor.course.reading.faults import Fault, format_value, read_course_file
from tutor.course.reading.markdown_blocks import tokens

COLUMNS = 78  # of a line of prose; a paragraph with longer lines keeps its width
NOT_WRAPPED = 100  # columns of a line whose paragraph stands in one line
_LINK = re.compile(r"\[[^\]]*\]\(term:([a-z0-9-]+)\)")
_NO_USE = re.compile(
    r"(`+)(?!`).+?(?<!`)\1(?!`)"  # code
    r"|\*\*(?P<bold>.+?)\*\*"
    r"|!?\[[^\]]*\](\([^)]*\))?"  # a link, a picture, a citation
    r"|<[^\s>]+>",
    re.DOTALL,
)
# What a line break must not cut: a link, code, "Day 5" (a link as it stands).
_WORD = re.compile(r"(?:\[[^\]]*\]\([^)]*\)|`[^`]+`|\bDays? \d|\S)+")
_STRUCTURE = re.compile(r"[-+*>|#]|\d+[.)]|expect:")  # means something at the beginning of a line
_MARGIN = re.compile(
    r"[ >]*(?:(?:[-+*]|\d+[.)]) +)?"
)  # up to the words of a paragraph's first line
_INDENT = re.compile(r"[ >]*")  # and of its other lines, where "24. " is a word


@dataclass(frozen=True)
class TermUse:
    """A term's first use on a page, neither explained in the lesson nor linked by then."""

    term: Term
    is_new: bool  # no earlier day explains it either
    path: Path
    line: int  # from 1
    paragraph: tuple[int, int]  # its lines in the file, from 0, the last not included
    start: int  # in the paragraph
    text: str


@dataclass(frozen=True)
class _Mark:
    """A place of a paragraph that uses, links or explains a term."""

    start: int
    end: int
    kind: str  # "use" | "link" | "explained"
    id: str


def term_faults(lessons: Iterable[Lesson], terms: Iterable[Term]) -> Iterator[Fault]:
    """Find the terms that a page uses before it explains or links them."""
    expected = "a link or an explanation first (`tutor content check --fix-links` links it)"
    for use in find_unlinked_uses(lessons, terms):
        if use.is_new:
            yield Fault(use.path, use.line, f"term {use.term.id}", expected, format_value(use.text))


def fix_links(lessons: Iterable[Lesson], terms: Iterable[Term]) -> Iterator[str]:
    """Write the missing links into the lessons' files. Yields the changed lines, as a diff does."""
    uses = list(find_unlinked_uses(lessons, terms))
    for path, of_file in groupby(uses, key=lambda use: use.path):
        lines = read_course_file(path).split("\n")
        changes: list[str] = []
        paragraphs = [(p, list(uses)) for p, uses in groupby(of_file, key=lambda u: u.paragraph)]
        for (first, end), of_paragraph in reversed(paragraphs):
            linked = _with_links(lines[first:end], of_paragraph)
            diff = ndiff(lines[first:end], linked)
            changes[:0] = [f"{path}:{first + 1}", *(row for row in diff if row[0] in "+-")]
            lines[first:end] = linked
        path.write_text("\n".join(lines), encoding="utf-8")
        yield from changes


def find_unlinked_uses(lessons: Iterable[Lesson], terms: Iterable[Term]) -> Iterator[TermUse]:
    """Yield each term's first use on each page where the lesson neither explains nor links it first."""
    known = {term.id: term for term in terms if term.kind == "term" and not term.ordinary}
    before: set[str] = set()  # what earlier days explain
    for lesson in sorted(lessons, key=lambda lesson: lesson.day):
        lines = read_course_file(lesson.path).split("\n")
        here: set[str] = set()
        for section in lesson.sections:
            linked: set[str] = set()
            paragraphs = list(_paragraphs(section.blocks))
            page = "\n\n".join("\n".join(lines[first:end]) for first, end in paragraphs)
            there = tuple(term for term in known.values() if _find_forms(term).search(page))
            for first, end in paragraphs:
                text = "\n".join(lines[first:end])
                for mark in _marks(text, there):
                    if mark.kind == "use" and mark.id not in here | linked:
                        line = first + text.count("\n", 0, mark.start) + 1
                        words = text[mark.start : mark.end]
                        where = (lesson.path, line, (first, end), mark.start, words)
                        yield TermUse(known[mark.id], mark.id not in before, *where)
                    (here if mark.kind == "explained" else linked).add(mark.id)
        before |= here


def _paragraphs(blocks: Iterable[object]) -> Iterator[tuple[int, int]]:
    """Yield the lines of the file, from 0, of each paragraph, item and row of a table."""
    for block in blocks:
        if not isinstance(block, Prose):
            continue
        last = (-1, -1)
        heading = False
        for token in tokens(block.text):
            if token.type == "inline" and token.map and not heading and last != tuple(token.map):
                last = (token.map[0], token.map[1])
                yield block.line - 1 + last[0], block.line - 1 + last[1]
            heading = token.type == "heading_open"


def _marks(text: str, terms: tuple[Term, ...]) -> list[_Mark]:
    """Return the uses, links and explanations of a paragraph, in their order."""
    marks: list[_Mark] = []

    def blank(match: re.Match[str]) -> str:
        for link in _LINK.finditer(match[0]):
            start = match.start() + link.start()
            marks.append(_Mark(start, match.start() + link.end(), "link", link[1]))
        for term in terms:
            if match["bold"] and _forms(term).fullmatch(match["bold"].rstrip(".:,")):
                marks.append(_Mark(match.start(), match.end(), "explained", term.id))
        return "\0" * len(match[0])

    prose = _NO_USE.sub(blank, text)
    uses = [
        _Mark(*match.span(), "use", term.id)
        for term in terms
        for match in _forms(term).finditer(prose)
    ]
    free = list(prose)
    for use in sorted(uses, key=lambda use: use.start - use.end):  # the longest first
        if "\0" not in free[use.start : use.end]:
            marks.append(use)
            free[use.start : use.end] = "\0" * (use.end - use.start)
    return sorted(marks, key=lambda mark: mark.start)


@cache
def _forms(term: Term) -> re.Pattern[str]:
    """The ways in which prose writes a term, as whole words."""
    return re.compile(rf"(?<![\w-])(?:{_find_forms(term).pattern})(?![\w-])")


@cache
def _find_forms(term: Term) -> re.Pattern[str]:
    """The same also inside of words: without a look back, it is found several times sooner."""
    first, rest = term.term[0], re.sub(r"(\\ )+", r"\\s+", re.escape(term.term[1:]))
    letter = f"[{first}{first.upper()}]" if first.islower() else re.escape(first)
    forms = [f"{letter}{rest}(?:e?s)?", *(() if term.languages else term.match)]
    return re.compile("|".join(forms))


def _with_links(lines: list[str], uses: list[TermUse]) -> list[str]:
    """Return the lines of a paragraph with a link for each of `uses`."""
    text = "\n".join(lines)
    for use in reversed(uses):
        end = use.start + len(use.text)
        text = f"{text[: use.start]}[{use.text}](term:{use.term.id}){text[end:]}"
    linked = text.split("\n")
    is_table = lines[0].lstrip().startswith("|")
    has_breaks = any(line.endswith(("  ", "\\")) for line in lines)
    width = max(COLUMNS, *map(len, lines))
    return linked if is_table or has_breaks or width > NOT_WRAPPED else _wrap(linked, width)


def _wrap(lines: list[str], width: int) -> list[str]:
    """Move the words that stand over the margin to the next line; other lines stay as they are."""
    wrapped: list[str] = []
    waiting = list(lines)
    while waiting:
        line = waiting.pop(0)
        if cut := _cut(line, width):
            after = waiting.pop(0) if waiting else ""
            margin = (
                _INDENT.match(after) if after else (_INDENT if wrapped else _MARGIN).match(line)
            )
            indent = re.sub(r"[^ >]", " ", margin[0]) if margin else ""
            waiting.insert(0, f"{indent}{line[cut:]} {after[len(indent) :]}".rstrip())
            line = line[:cut].rstrip()
        wrapped.append(line)
    return wrapped


def _cut(line: str, width: int) -> int:
    """Return the column at which a line that is too long goes on in the next one; 0 for no cut."""
    if len(line) <= width:
        return 0
    margin = _MARGIN.match(line)
    starts = [word.start() for word in _WORD.finditer(line, margin.end() if margin else 0)][1:]
    good = (
        at for at in starts if len(line[:at].rstrip()) <= width and not _STRUCTURE.match(line, at)
    )
    return max(good, default=0)
