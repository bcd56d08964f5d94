"""Offsets that TTIR computes in 32 bits, into tensors with more elements than 32 bits count. Pure.

Triton multiplies a program's number by a stride in the type of the two, which is i32 for most. Beyond
element 2 147 483 647 of a tensor the product wraps, and the address is another's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

MOST_ELEMENTS = (1 << 31) - 1  # that an offset in 32 bits reaches
_NAME = re.compile(r"%[\w$.-]+")
_PARAMETER = re.compile(r"(%[\w$.-]+): !?\w")
_OPERATION = re.compile(r"\s*(?:(%[\w$.-]+)(?::\d+)? = )?\"?([\w.]+)\"?(.*)")
_INIT = re.compile(r"(%[\w$.-]+) = (%[\w$.-]+)")  # an argument of a loop, and its first value
_INDUCTION = re.compile(r"scf\.for (%[\w$.-]+) = ")
_ACCESSES = ("tt.load", "tt.store", "tt.atomic_rmw", "tt.atomic_cas")
_INDICES = ("tt.get_program_id", "tt.make_range", "induction")
_WIDE = re.compile(r"(?:tensor<(?:\d+x)*|\s)i64>?\s*$")


@dataclass(frozen=True)
class NarrowOffset:
    """An offset into the tensor `parameter`; `row`: the line that adds it to an address, from 0."""

    row: int
    parameter: str


@dataclass(frozen=True)
class _Value:
    row: int
    operation: str
    uses: tuple[str, ...]
    wide: bool  # its type ends in i64


@dataclass
class _Reader:
    """The values of a TTIR text by name. A loop's arguments are led back to their first values."""

    values: dict[str, _Value] = field(default_factory=dict)
    accesses: list[str] = field(default_factory=list)  # addresses that are loaded or stored
    parameters: list[str] = field(default_factory=list)

    def read(self, row: int, line: str) -> None:
        if "tt.func public" in line:
            self.parameters = _PARAMETER.findall(line)
            return
        match = _OPERATION.match(line)
        if match is None:
            return
        result, operation, rest = match.groups()
        if "iter_args(" in line:
            for argument, first in _INIT.findall(line.partition("iter_args(")[2]):
                self.values[argument] = _Value(row, "argument", (first,), False)
        if induction := _INDUCTION.search(line):
            self.values[induction[1]] = _Value(row, "induction", (), False)
        uses = tuple(_NAME.findall(rest.partition(" : ")[0]))
        if operation in _ACCESSES and uses:
            self.accesses.append(uses[0])
        if result:
            self.values[result] = _Value(row, operation, uses, bool(_WIDE.search(line)))

    def made_of(self, name: str) -> Iterator[_Value]:
        """The value and all that it is computed from."""
        seen, waiting = {name}, [name]
        while waiting:
            value = self.values.get(waiting.pop())
            if value is None:
                continue
            yield value
            new = [use for use in value.uses if use not in seen]
            seen.update(new)
            waiting += new

    def address(self, name: str) -> tuple[str, tuple[_Value, ...]]:
        """The parameter that an address begins at, "" if unknown, and the additions on the way."""
        added: list[_Value] = []
        for _ in range(len(self.values) + 1):
            if name in self.parameters:
                return name, tuple(added)
            value = self.values.get(name)
            if value is None or not value.uses:
                break
            if value.operation == "tt.addptr":
                added.append(value)
            name = value.uses[0]
        return "", ()


def find_narrow_offsets(
    ttir: str, parameters: Iterable[str], elements: Mapping[str, int]
) -> tuple[NarrowOffset, ...]:
    """Return the offsets in 32 bits into tensors that have more elements, each line once.

    `parameters` are the kernel's without its constants, in order; `elements` says how many elements a
    tensor spans. An address that is also moved by a product in 64 bits is taken for right.
    """
    names = tuple(parameters)
    large = {name for name in names if elements.get(name, 0) > MOST_ELEMENTS}
    if not large:
        return ()
    reader = _Reader()
    for row, line in enumerate(ttir.split("\n")):
        reader.read(row, line)
    own = dict(zip(reader.parameters, names, strict=False))
    found: dict[NarrowOffset, None] = {}
    for address in reader.accesses:
        base, added = reader.address(address)
        kinds = [_width(reader, addition) for addition in added] if own.get(base) in large else []
        if "wide" not in kinds:
            for addition, kind in zip(added, kinds, strict=False):
                if kind == "narrow":
                    found[NarrowOffset(addition.row, own[base])] = None
    return tuple(found)


def _width(reader: _Reader, addition: _Value) -> str:
    """Return "narrow" for an offset with a product of an index in 32 bits, "wide" for one in 64, ""
    for one that is no product."""
    made = list(reader.made_of(addition.uses[1]))
    products = [value for value in made if value.operation == "arith.muli"]
    if any(not product.wide and _has_index(reader, product) for product in products):
        return "wide" if any(product.wide for product in products) else "narrow"
    return "wide" if addition.wide or any(product.wide for product in products) else ""


def _has_index(reader: _Reader, product: _Value) -> bool:
    return any(value.operation in _INDICES for use in product.uses for value in reader.made_of(use))
