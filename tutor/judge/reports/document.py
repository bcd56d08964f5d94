"""A document: what there is to read, as rows of words with roles, before anything gives it a width.

`verdict_document` writes one of a verdict. `verdict_text` draws it as lines for the shell, and the lab
draws it in colours (`ui/verdict`). A drawer decides on widths, marks and colours; it adds no words.
"""

from dataclasses import dataclass
from typing import Literal

from tutor.judge.model.verdict import Chart, Timing

Role = Literal["", "strong", "quiet", "good", "bad", "warning"]


@dataclass(frozen=True)
class Span:
    """A part of a row, and what it says: something good, something wrong, something beside the point."""

    text: str
    role: Role = ""


@dataclass(frozen=True)
class Words:
    """Prose, which a drawer wraps; `code` of the learner's stands in backticks. `level` 1 belongs to
    the row above."""

    spans: tuple[Span, ...]
    level: int = 0

    @property
    def plain(self) -> str:
        return "".join(span.text for span in self.spans)


def words(text: str, role: Role = "", level: int = 0) -> Words:
    """Return a row of one span."""
    return Words((Span(text, role),), level)


@dataclass(frozen=True)
class SourceLine:
    """A line of the learner's file, and its number, in so many digits where lines stand below each
    other. It has no indentation, except where that is what is wrong."""

    number: int
    code: str
    level: int = 0
    digits: int = 0


@dataclass(frozen=True)
class Columns:
    """Lines with columns, which are not wrapped."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Quoted:
    """Text of the learner's program or of a compiler, as it came. `tail`: its end says most."""

    text: str
    tail: bool = False


@dataclass(frozen=True)
class Number:
    """A number of a case under its heading; "–" if it is not known. `detail` as for a block."""

    heading: str
    text: str
    detail: bool = False


@dataclass(frozen=True)
class Case:
    """A case as a row of a table, and below a wrong one what is wrong.

    `how` names in a few words the way in which it is wrong. Cases that differ in numbers alone are
    wrong in one way. `first` has the first wrong element, `extent` the number of them and what they
    have in common, `picture` the output in characters.
    """

    name: str
    inputs: str
    right: bool
    numbers: tuple[Number, ...]
    how: str = ""
    note: str = ""
    first: tuple[Span, ...] = ()
    extent: str = ""
    picture: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cases:
    """The table of all cases, in the order in which they were judged."""

    rows: tuple[Case, ...]


@dataclass(frozen=True)
class Times:
    """The measured times and what limits them: bars on a screen; in lines with their intervals, and
    with the least times of the same work on usual GPUs, which the lab has on a page of its own."""

    timing: Timing


@dataclass(frozen=True)
class Timeline:
    """What happened when, a row for each who took part: bars, or in words where nothing is drawn."""

    chart: Chart


Row = Words | SourceLine | Columns | Quoted | Cases | Times | Timeline


@dataclass(frozen=True)
class Block:
    """Rows that belong together. `detail`: only for who asks for everything (`-v`, the lab's detail)."""

    rows: tuple[Row, ...]
    title: str = ""
    detail: bool = False


@dataclass(frozen=True)
class Headline:
    """The first line. `share` says how many cases are right, unless `words` do."""

    mark: str
    words: str
    role: Role
    share: str = ""
    device: str = ""
    took: str = ""


@dataclass(frozen=True)
class Document:
    """All that there is to say of a verdict, in the order in which it is read."""

    headline: Headline
    blocks: tuple[Block, ...] = ()

    def shown(self, *, detail: bool) -> tuple[Block, ...]:
        """Return the blocks with rows, with all details or without any."""
        return tuple(block for block in self.blocks if block.rows and (detail or not block.detail))
