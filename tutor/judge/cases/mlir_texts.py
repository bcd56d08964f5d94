"""Programs of MLIR read from their texts, so that an exercise's `reference.py` can work out what a pass
has to leave of them. Pure: no compiler is imported.

What is read is the function `f` of a module: constants, operations of one result or none, `scf.for` and
`scf.if`, a line each, as `drawn_programs` writes them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_NAME = re.compile(r"%\w+")
_CONSTANT = re.compile(r"(%\w+) = arith\.constant (\S+) : (\w+)")
_OPERATION = re.compile(r"(?:(%\w+) = )?([\w.]+)([^:]*)(?:: (.+))?")
_FOR = re.compile(r"(?:(%\w+) = )?scf\.for (%\w+) = (%\w+) to (%\w+) step (%\w+)")
_ENDS = ("scf.yield", "func.return")


@dataclass(eq=False)
class Line:
    """An operation: what it defines and reads, and the regions that it holds."""

    name: str
    result: str = ""
    reads: tuple[str, ...] = ()
    type: str = ""
    number: float | None = None
    regions: list[Region] = field(default_factory=list)

    def walk(self) -> Iterator[Line]:
        """Yield the line and all that stand inside it."""
        yield self
        for region in self.regions:
            for line in region.lines:
                yield from line.walk()


@dataclass(eq=False)
class Region:
    """The lines of a block, and the names of its arguments."""

    arguments: tuple[str, ...] = ()
    lines: list[Line] = field(default_factory=list)

    def walk(self) -> Iterator[Line]:
        """Yield the lines, each before those inside it."""
        for line in self.lines:
            yield from line.walk()


def read_function(text: str) -> Region:
    """Return the body of the function `f`; its arguments are those of the function."""
    head, _, body = text[text.index("func.func @f(") :].partition("\n")
    arguments = re.findall(r"(%\w+):", head)
    function = Region(tuple(arguments))
    around = [function]
    for line in map(str.strip, body.splitlines()):
        if not line:
            continue
        if line == "}":
            around.pop()
            if not around:
                break
            continue
        if line == "} else {":
            around[-2].lines[-1].regions.append(Region())
            around[-1] = around[-2].lines[-1].regions[-1]
            continue
        made = _read_line(line)
        around[-1].lines.append(made)
        around += made.regions
    return function


def _read_line(line: str) -> Line:
    if found := _CONSTANT.fullmatch(line):
        result, number, kind = found.groups()
        value = float(number) if kind.startswith("f") else int(number)
        return Line("arith.constant", result, type=kind, number=value)
    if found := _FOR.match(line):
        result, counter, *bounds = found.groups()
        carried = re.search(r"iter_args\((.*?)\)", line)
        pairs = re.findall(r"(%\w+) = (%\w+)", carried[1]) if carried else []
        inside = Region((counter, *(name for name, _ in pairs)))
        reads = (*bounds, *(first for _, first in pairs))
        return Line("scf.for", result or "", reads, regions=[inside])
    found = _OPERATION.fullmatch(line.rstrip("{ ") if line.endswith("{") else line)
    assert found is not None, line
    result, name, rest, kind = found.groups()
    regions = [Region()] if line.endswith("{") else []
    reads = tuple(_NAME.findall(rest))
    return Line(name, result or "", reads, kind or "", regions=regions)


def wrap(number: int, kind: str) -> int:
    """Return what a value of this type of whole numbers holds of the number, as a signed one."""
    width = int(kind[1:]) if re.fullmatch(r"i\d+", kind) else 64
    held = number & ((1 << width) - 1)
    return held - (1 << width) if held >> (width - 1) else held


def count_executed(region: Region, values: Mapping[str, int]) -> Counter[str]:
    """Count how often each operation runs, by name; each run of a region ends with an `scf.yield`.

    `values` has the arguments that bound a loop or decide an `scf.if`. The function's return is not
    counted.
    """
    known, counted = dict(values), Counter[str]()
    for line in region.lines:
        if line.name in _ENDS:
            continue
        counted[line.name] += 1
        if line.name == "arith.constant" and line.number is not None:
            known[line.result] = int(line.number)
        elif line.name == "scf.if":
            taken = 0 if known[line.reads[0]] else 1
            if taken < len(line.regions):
                counted += count_executed(line.regions[taken], known)
                counted["scf.yield"] += 1
        elif line.name == "scf.for":
            first, end, step = (known[name] for name in line.reads[:3])
            for turn in range(first, end, step):
                counter = {line.regions[0].arguments[0]: turn}
                counted += count_executed(line.regions[0], known | counter)
                counted["scf.yield"] += 1
    return counted
