"""The learner's lines in MLIR: given to operations before a compiler runs, and found again after it.

An importer's location is the whole stack of calls, and a compiler may keep its outermost frame alone,
which is a line of torch. So each operation gets one place, the innermost line that is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tutor.xray.compilers.capture import Captured
from tutor.xray.compilers.mlir_locations import Place, read_located_text, read_place
from tutor.xray.model.stages import Link

_LONG_VALUE = re.compile(r'(cpu_features = "[^"]{24})[^"]{40,}"')  # 2,000 characters and more


@dataclass(frozen=True)
class TextWithLines:
    """A stage's text, and for each of its lines the lines of the stage "source" that it comes from.

    `names` are those in the locations of a line.
    """

    text: str
    lines: dict[int, tuple[int, ...]]
    names: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def links(self, key: str, unit: str = "") -> tuple[Link, ...]:
        """Links from the stage "source" to the stage `key`."""
        return tuple(
            Link("source", source, key, line, unit)
            for line, sources in self.lines.items()
            for source in sources
        )


def place_operations(
    module: Any, captured: Captured, locate: Callable[[Any, str, int], Any], unknown: Any
) -> None:
    """Give each operation of a module the line that it comes from, the innermost that is shown.

    A function gets the line at which the learner's function begins, its arguments too. `locate` makes
    a location of an operation, a path and a line of that file; `unknown` is the location of the rest.
    """
    source = captured.source

    def visit(operation: Any) -> None:
        if operation.name == "func.func" and source:
            operation.location = locate(operation, source.path, source.first)
            for argument in operation.regions[0].blocks[0].arguments:
                argument.set_location(operation.location)
        else:
            frame = _innermost(read_place(str(operation.location)), captured)
            operation.location = locate(operation, *frame) if frame else unknown
        for region in operation.regions:
            for block in region:
                for inner in block:
                    visit(inner.operation)

    visit(module.operation)


def name_origin(operation: Any) -> str:
    """`torch.aten.add.Tensor` is `add`, and what takes the parts of a list is named as its maker; "" for
    what computes nothing."""
    if operation.name == "torch.prim.ListUnpack":
        operation = operation.operands[0].owner
    parts = operation.name.split(".")
    return parts[2] if parts[0] == "torch" and parts[1] in ("aten", "prims") else ""


def find_line(location: str, captured: Captured) -> int | None:
    """Return the line of the stage "source" that a printed location names, or None."""
    frame = _innermost(read_place(location), captured)
    return captured.line_of(*frame) if frame else None


def _innermost(place: Place, captured: Captured) -> tuple[str, int] | None:
    frames = (frame for stack in place.stacks for frame in stack)
    return next((frame for frame in frames if captured.line_of(*frame)), None)


def read_lines(printed: str, captured: Captured) -> TextWithLines:
    """Take the locations out of a text that MLIR printed with them. Long lists of the processor's
    features are cut."""
    located = read_located_text(printed)
    lines = {
        number: sources
        for number, place in located.places.items()
        if (sources := _sources(place, captured))
    }
    names = {number: place.names for number, place in located.places.items() if place.names}
    return TextWithLines(_LONG_VALUE.sub(r'\1…"', located.text).rstrip("\n") + "\n", lines, names)


def _sources(place: Place, captured: Captured) -> tuple[int, ...]:
    """The innermost shown line of each stack."""
    found = (
        next((line for frame in stack if (line := captured.line_of(*frame))), None)
        for stack in place.stacks
    )
    return tuple(dict.fromkeys(line for line in found if line))
