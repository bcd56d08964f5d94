"""Links in a lesson's prose: other days, sections, terms, sources, addresses, pictures.

A link's address is a target: "day:14", "lesson:14/section-slug", "term:ID", "exercise:SLUG",
"source:ID" of the lesson's own list, or a web address. Authors write `[text](lesson:14/the-map)`;
`[triton-load]` cites a source and is shown by its number in the lesson's list, `[3]`; "Day 14" in a
sentence is a link as it stands.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from tutor.course.model import Prose, Section, Source
from tutor.course.reading.markdown_blocks import tokens

_DAY = re.compile(r"\bDay (\d{1,3})\b")
_MENTION = re.compile(r"\bDays?\s+(\d{1,3}(?:\s*(?:-|–|,|to|and)\s*\d{1,3})*)")
_STEP = re.compile(r"\s*(-|–|,|to|and)\s*")
_DAY_IN_BRACKETS = re.compile(r"\[Day (\d{1,3})\]")


class ProseLink(NamedTuple):
    """`text` is what stands in the prose."""

    target: str
    text: str


class Picture(NamedTuple):
    """`file` as it is written, relative to the lesson; `says`: the words that stand for it."""

    file: str
    says: str


@cache
def parser() -> MarkdownIt:
    """CommonMark with tables and strikethrough. HTML is off: `<T>` in a sentence is text."""
    return MarkdownIt("commonmark", {"html": False}).enable("table").enable("strikethrough")


@cache
def linking_parser() -> MarkdownIt:
    """The same, with days as links and citations as numbers."""
    linking = MarkdownIt("commonmark", {"html": False}).enable("table").enable("strikethrough")
    linking.core.ruler.after("inline", "days", _link_days)
    linking.core.ruler.after("inline", "citations", _number_citations)
    return linking


def add_addresses(text: str, sources: Iterable[Source]) -> str:
    """Lesson text followed by the addresses that its citations and `[Day 5]` stand for."""
    addresses = [
        f'[{source.id}]: <source:{source.id}> "{n}"' for n, source in enumerate(sources, 1)
    ]
    days = sorted({int(day) for day in _DAY_IN_BRACKETS.findall(text)})
    addresses += [f"[Day {day}]: <day:{day}>" for day in days]
    return "\n".join([text, "", *addresses])


def links_in(section: Section, sources: tuple[Source, ...]) -> tuple[ProseLink, ...]:
    """Return the links of a section's prose, each target once, in the order of the text; after them the
    days that it only counts up ("Days 29 to 41")."""
    links: dict[str, ProseLink] = {}
    texts = [block.text for block in section.blocks if isinstance(block, Prose)]
    for text in texts:
        for token in linking_parser().parse(add_addresses(text, sources)):
            for link in _links(token.children or ()):
                links.setdefault(link.target, link)
    for text in texts:
        for day in days_named(text):
            links.setdefault(f"day:{day}", ProseLink(f"day:{day}", f"Day {day}"))
    return tuple(links.values())


def written_targets(markdown: str) -> Iterator[tuple[str, int]]:
    """The targets inside the course that an author wrote out, "lesson:14/the-map", and the line of
    the paragraph (from 0) that each stands in."""
    for token in parser().parse(markdown):
        for link in _links(token.children or ()):
            if link.target.partition(":")[0] in ("day", "lesson", "term", "exercise"):
                yield link.target, token.map[0] if token.map else 0


def picture_of(paragraph: Token) -> Picture | None:
    """The picture that a paragraph (its "inline" token) is made of; None where it holds anything
    else."""
    children = paragraph.children or []
    if len(children) != 1 or children[0].type != "image":
        return None
    words = " ".join(children[0].content.split())  # an author may break its lines
    return Picture(str(children[0].attrGet("src") or ""), words)


def _links(children: Iterable[Token]) -> Iterator[ProseLink]:
    target, words = "", ""
    for child in children:
        if child.type == "link_open":
            target, words = str(child.attrGet("href") or ""), ""
        elif child.type == "link_close":
            yield ProseLink(target, words)
        else:
            words += " " if child.type == "softbreak" else child.content


def _number_citations(state: StateCore) -> None:
    """Show the link to a source as its number, `[3]`, which is the title of its address."""
    for token in state.tokens:
        number = ""
        for child in token.children or ():
            if child.type == "link_open" and str(child.attrGet("href")).startswith("source:"):
                number = str(child.attrGet("title") or "")
            elif child.type == "link_close":
                number = ""
            elif number and child.type == "text":
                child.content = f"[{number}]"


def _link_days(state: StateCore) -> None:
    """Make "Day 5" in text, outside of code and of other links, a link to "day:5"."""
    for token in state.tokens:
        if token.type == "inline" and _DAY.search(token.content):
            token.children = list(_with_days(token.children or []))


def _with_days(children: list[Token]) -> Iterator[Token]:
    inside = 0
    for child in children:
        inside += (child.type == "link_open") - (child.type == "link_close")
        if child.type != "text" or inside:
            yield child
            continue
        at = 0
        for match in _DAY.finditer(child.content):
            yield _text(child.content[at : match.start()])
            yield Token("link_open", "a", 1, attrs={"href": f"day:{match[1]}"})
            yield _text(match[0])
            yield Token("link_close", "a", -1)
            at = match.end()
        yield _text(child.content[at:])


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def days_named(markdown: str) -> Iterator[int]:
    """The days that prose names: "Day 5", "[Day 5]", "Days 29 to 41" (all of them), in order.

    Code, in fences or between backticks, names none.
    """
    for token in tokens(markdown):
        if token.type != "inline":
            continue
        text = "".join(
            " " if child.type in ("softbreak", "hardbreak") else child.content
            for child in token.children or ()
            if child.type != "code_inline"
        )
        for mention in _MENTION.finditer(text):
            yield from _days(mention[1])


def _days(mention: str) -> Iterator[int]:
    """The days of "29 to 41", "2, 3 and 5"."""
    parts = _STEP.split(mention)
    last = int(parts[0])
    yield last
    for step, number in zip(parts[1::2], parts[2::2], strict=True):
        day = int(number)
        yield from range(last + 1, day) if step in ("-", "–", "to") else ()
        yield day
        last = day
