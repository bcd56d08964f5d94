"""Cuts a lesson's Markdown into headings, live cells, predictions, drills and prose.

The parts of a body follow each other and cover every line of it once.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

EXPECT = re.compile(r"expect:[ \t]*(.*)")


@dataclass(frozen=True)
class MarkdownBlock:
    """Lines `start` to `end` (exclusive, from 0) of the body.

    `text` is a heading's title, a fence's content, or the prose as written. `expect` holds the
    `expect:` lines that follow a cell (they belong to its lines).
    """

    kind: Literal["heading", "cell", "predict", "drill", "prose"]
    start: int
    end: int
    text: str
    info: str = ""
    expect: tuple[str, ...] = ()


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def tokens(body: str) -> list[Token]:
    """markdown-it's tokens of a body; `map` holds lines from 0, end exclusive."""
    return _parser().parse(body)


@cache
def _block_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table").disable("inline")


def block_tokens(body: str) -> list[Token]:
    """As `tokens`, but what stands inside a line is not parsed: no `children`. Half the time."""
    return _block_parser().parse(body)


def split_blocks(body: str, parsed: list[Token]) -> tuple[MarkdownBlock, ...]:
    """The parts of a body, whose `block_tokens` are `parsed`. Line ends must be `\\n`.

    Nothing is judged here.
    """
    lines = body.split("\n")
    parts: list[MarkdownBlock] = []
    at = 0
    for part in _blocks(parsed, lines):
        if part.start > at:
            parts.append(_prose(lines, at, part.start))
        parts.append(part)
        at = part.end
    if at < len(lines):
        parts.append(_prose(lines, at, len(lines)))
    return tuple(parts)


def _prose(lines: list[str], start: int, end: int) -> MarkdownBlock:
    return MarkdownBlock("prose", start, end, "\n".join(lines[start:end]))


def _blocks(stream: list[Token], lines: list[str]) -> Iterator[MarkdownBlock]:
    """Everything but prose, in order. Only what stands at the left margin counts."""
    for i, token in enumerate(stream):
        if token.level or not token.map:
            continue
        start, end = token.map
        info = " ".join(token.info.split())
        if token.type == "heading_open" and token.markup == "##":
            yield MarkdownBlock("heading", start, end, stream[i + 1].content)
        elif token.type == "fence" and info == "predict":
            yield MarkdownBlock("predict", start, end, token.content, info)
        elif token.type == "fence" and info == "drill":
            yield MarkdownBlock("drill", start, end, token.content, info)
        elif token.type == "fence" and (info + " ").startswith("python run "):
            expect, end = _expectations(lines, end)
            yield MarkdownBlock("cell", start, end, token.content, info, expect)


def _expectations(lines: list[str], at: int) -> tuple[tuple[str, ...], int]:
    """The `expect:` lines right after a cell (one blank line may stand between), and their end."""
    first = at + 1 if at < len(lines) and not lines[at].strip() else at
    end = first
    while end < len(lines) and EXPECT.fullmatch(lines[end]):
        end += 1
    if end == first:
        return (), at
    return tuple(line.partition(":")[2].strip() for line in lines[first:end]), end
