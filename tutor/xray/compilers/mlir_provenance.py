"""Where the operations of an MLIR module come from, kept through the passes of every dialect.

A pass gives what it makes the location of what it came from, or all of them, fused. So each operation
gets a number as its location before the next passes run; afterwards the numbers in an operation's
location are the operations of the stage above that it was made from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch_mlir import ir

from tutor.xray.compilers.capture import Captured
from tutor.xray.compilers.mlir_locations import Place, read_located_text, read_place
from tutor.xray.model.stages import Link

# The importer gives them the place of the first or the last node.
_NOWHERE = ("builtin.module", "func.func", "func.return")
_LARGE = 8  # elements of a constant, characters of its bytes: more are left out of the text


@dataclass(frozen=True)
class Origin:
    """Lines that an operation came from: of the function's source, of the stage above, and of the
    first stage; all count from 1."""

    source: frozenset[int] = frozenset()
    above: frozenset[int] = frozenset()
    first: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Printed:
    """A stage's text, and the origins of its operations by their first line, from 1."""

    key: str
    text: str
    origins: dict[int, Origin]

    def links(self, above: str) -> Iterator[Link]:
        """Yield the links from the source, and from the stage `above` ("" for none)."""
        for line, origin in self.origins.items():
            for number in sorted(origin.source):
                yield Link("source", number, self.key, line)
            for number in sorted(origin.above if above else ()):
                yield Link(above, number, self.key, line)


class Provenance:
    """Follows the operations of one module from stage to stage."""

    def __init__(self, captured: Captured) -> None:
        self._captured = captured
        self._known: dict[int, tuple[int, Origin]] | None = (
            None  # of the stage above, with its line
        )
        self._read: dict[str, Place] = {}

    def print_stage(self, module: ir.Module, key: str) -> Printed:
        """Print the module as it is now, and number its operations for the passes to come."""
        origins = self._number(module)
        printed = module.operation.get_asm(
            enable_debug_info=True, large_elements_limit=_LARGE, large_resource_limit=_LARGE
        )
        located = read_located_text(printed)
        by_line: dict[int, Origin] = {}
        known: dict[int, tuple[int, Origin]] = {}
        for line, place in located.places.items():
            number = int(place.names[0])
            origin = origins[number]
            if self._known is None:
                origin = Origin(origin.source, first=frozenset({line}))
            known[number] = (line, origin)
            by_line[line] = origin
        self._known = known
        text = located.text.partition("\n{-#")[0].rstrip("\n") + "\n"
        return Printed(key, text, by_line)

    def source_line(self, location: str) -> int | None:
        """The line of the source that a location of the module stands for, if it has one."""
        lines = self._find(location).source
        return min(lines) if lines else None

    def _number(self, module: ir.Module) -> list[Origin]:
        """Give each operation its number as location. Return the origins by number."""
        origins: list[Origin] = []

        def number(operation: Any) -> ir.WalkResult:
            location = str(operation.location)
            hidden = self._known is None and operation.name in _NOWHERE
            origin = Origin() if hidden else self._find(location)
            parent = operation.parent
            if origin == Origin() and parent and parent.name not in _NOWHERE:
                # A body that a pass wrote without locations belongs to the operation around it.
                origin = origins[int(read_place(str(parent.location)).names[0])]
            operation.location = ir.Location.name(str(len(origins)))
            origins.append(origin)
            return ir.WalkResult.ADVANCE

        with module.context:
            module.operation.walk(number, ir.WalkOrder.PRE_ORDER)
        return origins

    def _find(self, location: str) -> Origin:
        if location not in self._read:
            self._read[location] = read_place(location)
        place = self._read[location]
        if self._known is None:
            lines = (self._line_of(stack) for stack in place.stacks)
            return Origin(frozenset(line for line in lines if line))
        numbers = (int(name) for name in place.names if name.isdecimal())
        above = [self._known[number] for number in numbers if number in self._known]
        return Origin(
            frozenset().union(*(origin.source for _, origin in above)),
            frozenset(line for line, _ in above),
            frozenset().union(*(origin.first for _, origin in above)),
        )

    def _line_of(self, stack: tuple[tuple[str, int], ...]) -> int | None:
        """The line of the source that is the innermost one shown."""
        lines = (self._captured.line_of(path, line) for path, line in stack)
        return next((line for line in lines if line), None)
