"""The sections of a lesson: their minutes, and the words that glossary or concept map explain."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from tutor.course.catalog.concept_map import Node
from tutor.course.catalog.glossary import Term, whole_words
from tutor.course.model import Block, Cell, Drill, Lesson, Predict, Prose, Section
from tutor.course.reading.markdown_blocks import tokens

# In characters of prose: a cell is read and run, a prediction is thought about, a drill is solved.
_CELL, _PREDICTION, _DRILL = 600, 900, 2700
_NAMED_IN_PROSE = ("term", "stage")  # an op called `add` or `order` is meant only where it is code


def section_minutes(lesson: Lesson, minutes: int) -> tuple[int, ...]:
    """An estimate of the minutes of each section, at least one each; together about `minutes`, those of
    the day without its exercises."""
    work = [_work(section) for section in lesson.sections]
    whole = sum(work) or 1
    return tuple(max(1, round(minutes * share / whole)) for share in work)


def terms_in(terms: Iterable[Term], section: Section) -> tuple[Term, ...]:
    """The entries whose patterns fit in the section's code (cells, fences, code between backticks), or
    whose names stand in its prose; in the order in which they come."""
    code, prose = _texts(section.blocks)
    places: list[tuple[tuple[int, int], int, Term]] = []
    for number, term in enumerate(terms):
        in_code = term.pattern.search(code.text) if term.pattern else None
        found = in_code if in_code is not None and _may_stand_in_code(term) else None
        in_prose = _find_name(term, prose.text)
        at = [code.place(found.start())] if found else []
        at += [prose.place(in_prose.start())] if in_prose else []
        if at:
            places.append((min(at), number, term))
    return tuple(term for _, _, term in sorted(places, key=lambda place: place[:2]))


def ideas_in(nodes: Iterable[Node], section: Section) -> tuple[Node, ...]:
    """The boxes whose titles stand in the section's prose."""
    _, prose = _texts(section.blocks)
    return tuple(n for n in nodes if whole_words(re.escape(n.title)).search(prose.text))


def _work(section: Section) -> int:
    work = 0
    for block in section.blocks:
        if isinstance(block, Cell):
            work += _CELL + len(block.code)
        elif isinstance(block, Predict):
            work += _PREDICTION
        elif isinstance(block, Drill):
            work += _DRILL
        elif isinstance(block, Prose):
            work += len(block.text)
    return work


def _may_stand_in_code(term: Term) -> bool:
    """A single letter or digit names too many things outside of its own language."""
    return not term.languages or "python" in term.languages or len(term.term) > 2


def _find_name(term: Term, prose: str) -> re.Match[str] | None:
    first = re.escape(term.term[0])
    if term.kind in _NAMED_IN_PROSE and term.term[0].islower():
        first = f"[{term.term[0]}{term.term[0].upper()}]"  # at the beginning of a sentence too
    elif term.term.islower():
        return None
    return whole_words(first + re.escape(term.term[1:])).search(prose)


@dataclass(frozen=True)
class _Text:
    """The pieces of one sort, joined. `starts` has where each begins in the text, `pieces` its number
    among all pieces of the section."""

    text: str
    starts: tuple[int, ...]
    pieces: tuple[int, ...]

    def place(self, offset: int) -> tuple[int, int]:
        """The place in the section of a place in the text."""
        at = bisect_right(self.starts, offset) - 1
        if not self.pieces:
            return 0, 0
        return self.pieces[at], offset - self.starts[at]


def _texts(blocks: Iterable[Block]) -> tuple[_Text, _Text]:
    """All code, and all prose without it."""
    code: list[tuple[int, str]] = []
    prose: list[tuple[int, str]] = []
    for block in blocks:
        if isinstance(block, Cell):
            code.append((len(code) + len(prose), block.code))
        elif isinstance(block, Prose):
            for token in tokens(block.text):
                if token.type in ("fence", "code_block"):
                    code.append((len(code) + len(prose), token.content))
                for child in token.children or ():
                    here = code if child.type == "code_inline" else prose
                    here.append((len(code) + len(prose), child.content or " "))
    return _join(code, "\n"), _join(prose, "")


def _join(pieces: list[tuple[int, str]], between: str) -> _Text:
    lengths = [len(text) + len(between) for _, text in pieces]
    starts = accumulate(lengths[:-1], initial=0)
    return _Text(between.join(text for _, text in pieces), (*starts,), tuple(n for n, _ in pieces))
