"""Places in MLIR texts: what each operation's `loc(…)` says, and the text without them. Pure.

MLIR, Builtin Dialect, Location Attributes (LLVM 24): a file's line, a name, a call site, several places
that a pass fused into one; each may stand behind an alias (`#loc7`). Any compiler that prints MLIR with
its debug information can be read so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tutor.xray.model.counts.mlir import read_operations

Frame = tuple[str, int]  # a file, and a line of it

_ALIAS = re.compile(r"(#loc\w*) = loc\(")
_ESCAPED = re.compile(r"\\.")
_DEEPEST = 200  # locations in each other: more are no compiler's
_TOKEN = re.compile(
    r"\s*(?:"
    r'(?P<file>"(?:\\.|[^"\\])*"):(?P<line>\d+):\d+(?:\s+to\s+\d*:\d+)?'
    r'|(?P<name>"(?:\\.|[^"\\])*")'
    r"|(?P<alias>#loc\w*)"
    r"|(?P<word>callsite|fused|unknown|at)"
    r"|(?P<mark>[()\[\],])"
    r")"
)


@dataclass(frozen=True)
class Place:
    """What a location says. `names` are those in it; `stacks` are places in files, each with its
    callers, the innermost frame first. A location that was fused has several of either."""

    names: tuple[str, ...] = ()
    stacks: tuple[tuple[Frame, ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.names or self.stacks)


@dataclass(frozen=True)
class LocatedText:
    """`text` is without locations; `places` has those of the operations, by their first line, from 1."""

    text: str
    places: dict[int, Place]


def read_located_text(printed: str) -> LocatedText:
    """Read a text that was printed with debug information. Raises `ValueError` for a location in
    another form than MLIR's."""
    lines: list[str] = []
    aliases: dict[str, str] = {}
    at_end: dict[int, str] = {}
    for line in printed.split("\n"):
        if match := _ALIAS.match(line):
            aliases[match[1]] = line[match.end() : _find_end(line, match.end())]
            continue
        text, location = _take_out(line)
        lines.append(text)
        if location:
            at_end[len(lines)] = location
    text = "\n".join(lines)
    reader = _Reader(aliases)
    places = {
        operation.line: place
        for operation in read_operations(text)
        if (found := at_end.get(operation.end)) and (place := reader.read(found))
    }
    return LocatedText(text, places)


def read_place(location: str) -> Place:
    """Read one location, as `loc("file.py":3:0)`. Raises `ValueError` for another form than MLIR's."""
    inside = location.removeprefix("loc(")
    return _Reader({}).read(inside[:-1] if inside != location else location)


def _take_out(line: str) -> tuple[str, str]:
    """Return a line without its locations, and the one that ends it ("" for none).

    Those in the line are of arguments.
    """
    kept: list[str] = []
    last, at, quotes = "", 0, 0
    while (start := line.find(" loc(", at)) >= 0:
        before = line[at:start]
        quotes += _ESCAPED.sub("", before).count('"')
        if quotes % 2:  # in a string
            kept.append(line[at : start + 5])
            at = start + 5
            continue
        end = _find_end(line, start + 5)
        kept.append(before)
        last = line[start + 5 : end] if end + 1 == len(line) else ""
        at = end + 1
    kept.append(line[at:])
    return "".join(kept), last


def _find_end(line: str, start: int, brackets: str = "()") -> int:
    """The index of the bracket that closes the one before `start`; brackets in strings do not count."""
    depth, at = 1, start
    while at < len(line):
        character = line[at]
        if character == '"':
            at += 1
            while at < len(line) and line[at] != '"':
                at += 2 if line[at] == "\\" else 1
        elif line.startswith("->", at):
            at += 1
        elif character == brackets[0]:
            depth += 1
        elif character == brackets[1]:
            depth -= 1
            if not depth:
                return at
        at += 1
    raise ValueError("a location has no end")


class _Reader:
    """Reads locations, each text once; aliases are looked up in `aliases`."""

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self._aliases = aliases
        self._known: dict[str, Place] = {}

    def read(self, text: str, depth: int = 0) -> Place:
        """Read what stands between the brackets of `loc(…)`."""
        if text not in self._known:
            if depth > _DEEPEST:
                raise ValueError("locations are nested too deeply")
            place, at = self._read(text, 0, depth)
            if text[at:].strip():
                raise ValueError(f"not a location: {text[:80]!r}")
            self._known[text] = place
        return self._known[text]

    def _read(self, text: str, at: int, depth: int) -> tuple[Place, int]:
        match = _TOKEN.match(text, at)
        if not match or depth > _DEEPEST:
            raise ValueError(f"not a location: {text[:80]!r}")
        at = match.end()
        if match["file"]:
            return Place(stacks=(((_unquote(match["file"]), int(match["line"])),),)), at
        if match["name"]:
            name = _unquote(match["name"])
            if not text.startswith("(", at):
                return Place((name,)), at
            child, at = self._read(text, at + 1, depth + 1)
            return Place((name, *child.names), child.stacks), _skip(text, at, ")")
        if match["alias"]:
            return self.read(self._aliases.get(match["alias"], "unknown"), depth + 1), at
        if match["word"] == "unknown":
            return Place(), at
        if match["word"] == "callsite":
            callee, at = self._read(text, _skip(text, at, "("), depth + 1)
            caller, at = self._read(text, _skip(text, at, "at"), depth + 1)
            return _join(callee, caller), _skip(text, at, ")")
        if match["word"] == "fused":
            if text.startswith("<", at):  # what the pass noted beside the places
                at = _find_end(text, at + 1, "<>") + 1
            return self._read_fused(text, at, depth)
        raise ValueError(f"not a location: {text[:80]!r}")

    def _read_fused(self, text: str, at: int, depth: int) -> tuple[Place, int]:
        names: list[str] = []
        stacks: list[tuple[Frame, ...]] = []
        at, more = _skip(text, at, "["), True
        while more:
            place, at = self._read(text, at, depth + 1)
            names += place.names
            stacks += place.stacks
            more = text[at:].lstrip().startswith(",")
            at = _skip(text, at, "," if more else "]")
        return Place(tuple(dict.fromkeys(names)), tuple(dict.fromkeys(stacks))), at


def _join(callee: Place, caller: Place) -> Place:
    """The place of a callee, with its caller's frames after its own."""
    names = (*callee.names, *caller.names)
    if not callee.stacks:
        return Place(names, caller.stacks)
    outer = caller.stacks[0] if caller.stacks else ()
    return Place(names, tuple((*stack, *outer) for stack in callee.stacks))


def _skip(text: str, at: int, expected: str) -> int:
    match = _TOKEN.match(text, at)
    if not match or (match["mark"] or match["word"]) != expected:
        raise ValueError(f"not a location: {text[:80]!r}")
    return match.end()


def _unquote(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])
