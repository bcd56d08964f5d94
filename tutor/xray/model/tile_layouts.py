"""Which thread holds which element of a tile, worked out from the layouts that a TTGIR text names. Pure.

A layout is linear over bits: the number of a register, a lane and a warp is written in binary, each bit
that is set stands for a place in the tile (its basis), and the places are joined by XOR. The rules by
which the attributes become bases are those of Triton's LinearLayoutConversions.cpp, 3.7: `blocked`,
`nvidia_mma` (mma.sync and wgmma), `slice`, `dot_op` and `linear`; the tests compare them with Triton's
own. A tile's dimensions are powers of two.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

UNITS = ("register", "lane", "warp")
_Place = tuple[int, ...]  # a place in a tile: an index a dimension

_DEFINITION = re.compile(r"^(#\w+) = (#ttn?g\.\w+.*)$", re.MULTILINE)
_NAME = re.compile(r"#(?:ttn?g\.)?(\w+)")
_FIELD = re.compile(r"(\w+) = ")
_MOST_ELEMENTS = 1 << 20


class Undecoded(Exception):
    """A layout that this module does not know; the message says which, as a sentence."""


@dataclass(frozen=True)
class Holder:
    """Who holds an element: the warp of a block, the lane of the warp, and that thread's register."""

    warp: int
    lane: int
    register: int


@dataclass(frozen=True)
class TileLayout:
    """The threads of a block over a tile of `shape`. `bases[unit]` has a place for each bit of the
    unit's number, the lowest first; a place of zeros means that both values of the bit hold the same."""

    shape: _Place
    bases: dict[str, tuple[_Place, ...]]

    def size(self, unit: str) -> int:
        """Return how many of the unit there are: registers a thread, lanes a warp, warps a block."""
        return 1 << len(self.bases[unit])

    def place_of(self, holder: Holder) -> _Place:
        """Return the element that a register of a thread holds."""
        place = [0] * len(self.shape)
        numbers = {"register": holder.register, "lane": holder.lane, "warp": holder.warp}
        for unit, number in numbers.items():
            for bit, basis in enumerate(self.bases[unit]):
                if number >> bit & 1:
                    place = [a ^ b for a, b in zip(place, basis, strict=True)]
        return tuple(place)

    @cached_property
    def holders(self) -> dict[_Place, tuple[Holder, ...]]:
        """Each element's holders, ordered by warp, lane and register."""
        found: dict[_Place, list[Holder]] = {}
        for holder in self._all_holders():
            found.setdefault(self.place_of(holder), []).append(holder)
        return {place: tuple(some) for place, some in found.items()}

    def _all_holders(self) -> Iterator[Holder]:
        for warp in range(self.size("warp")):
            for lane in range(self.size("lane")):
                for register in range(self.size("register")):
                    yield Holder(warp, lane, register)


@dataclass(frozen=True)
class Tile:
    """The type of a tile in TTGIR: `tensor<64x32xf16, #blocked>`. `layout` as the text has it."""

    shape: _Place
    dtype: str
    layout: str

    def __str__(self) -> str:
        return f"{'×'.join(map(str, self.shape))} {self.dtype} {self.layout}"


# --- reading a text -------------------------------------------------------------------------------


def find_tiles(line: str) -> tuple[Tile, ...]:
    """Return the types of the tiles that a line of TTGIR names, in its order; those with a layout."""
    found = []
    at = line.find("tensor<")
    while at >= 0:
        inside = _read_inside(line, at + len("tensor"))
        size, comma, layout = inside.partition(", ")
        *sizes, dtype = size.split("x", size.count("x", 0, _begins_dtype(size)))
        if comma and layout.startswith("#") and all(one.isdigit() for one in sizes):
            found.append(Tile(tuple(map(int, sizes)), dtype, layout))
        at = line.find("tensor<", at + len("tensor<") + len(inside))
    return tuple(found)


def _begins_dtype(size: str) -> int:
    """Return where the type of the elements begins in `64x32xf16`."""
    match = re.match(r"(?:\d+x)*", size)
    return match.end() if match else 0


def _read_inside(text: str, at: int) -> str:
    """Return what the angle brackets that open at `at` enclose. The arrow `->` closes none."""
    depth = 0
    for place in range(at, len(text)):
        if text[place] == "<":
            depth += 1
        elif text[place] == ">" and text[place - 1] != "-":
            depth -= 1
            if depth == 0:
                return text[at + 1 : place]
    return text[at + 1 :]


@dataclass(frozen=True)
class TileView:
    """A tile as it first stands on `line` (from 1); two where one is converted to the other."""

    tiles: tuple[Tile, ...]
    line: int

    @property
    def is_conversion(self) -> bool:
        return len(self.tiles) > 1

    def key(self) -> tuple[tuple[_Place, str], ...]:
        """Return what tells views apart: who holds what does not depend on the type of the elements."""
        return tuple((tile.shape, tile.layout) for tile in self.tiles)


def list_views(text: str) -> tuple[TileView, ...]:
    """Return the conversions and the tiles of a text, each once, in its order."""
    views: dict[tuple[tuple[_Place, str], ...], TileView] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for view in views_of_line(line, number):
            views.setdefault(view.key(), view)
    return tuple(views.values())


def views_of_line(line: str, number: int) -> tuple[TileView, ...]:
    """Return what a line of TTGIR shows: a conversion first, then its tiles."""
    tiles = find_tiles(line)
    single = tuple(TileView((tile,), number) for tile in tiles)
    if "ttg.convert_layout" in line and len(tiles) == 2 and tiles[0].shape == tiles[1].shape:
        return (TileView(tiles, number), *single)
    return single


def find_view(views: Sequence[TileView], text: str, numbers: Iterable[int]) -> int:
    """Return which view the lines of these numbers show first; 0 where they show none."""
    lines = text.splitlines()
    keys = [view.key() for view in views]
    for number in numbers:
        for view in views_of_line(lines[number - 1], number):
            return keys.index(view.key())
    return 0


def read_definitions(text: str) -> dict[str, str]:
    """Return what each name of a layout stands for: `#blocked` -> `#ttg.blocked<{…}>`."""
    return {name: value.strip() for name, value in _DEFINITION.findall(text)}


def lay_out(tile: Tile, definitions: dict[str, str]) -> TileLayout:
    """Return who holds which element of the tile. Raises `Undecoded`."""
    if any(size & (size - 1) or not size for size in tile.shape):
        raise Undecoded("A side of this tile is no power of two.")
    if math.prod(tile.shape) > _MOST_ELEMENTS:
        raise Undecoded(f"This tile has more than {_MOST_ELEMENTS} elements.")
    try:
        bases = _Attribute.read(tile.layout, definitions).bases(tile.shape)
    except (KeyError, IndexError, ValueError) as error:
        name = tile.layout[:80]
        raise Undecoded(f"The layout {name} is written in a way that is not known here.") from error
    return TileLayout(tile.shape, bases)


# --- bases ----------------------------------------------------------------------------------------


class _Bases:
    """A linear layout that grows: each part that is joined goes on where the parts before it end."""

    def __init__(self, order: Sequence[int]) -> None:
        self.rank = len(order)
        self.outer = list(order)  # the dimensions, in the order in which they are repeated
        self.sizes = dict.fromkeys(order, 1)
        self.bases: dict[str, list[list[int]]] = {unit: [] for unit in UNITS}

    def join(self, unit: str, size: int, dimension: int, still: bool = False) -> None:
        """Add `size` of the unit along a dimension; `still`: they all hold the same."""
        for bit in range(size.bit_length() - 1):
            basis = [0] * self.rank
            if not still:
                basis[dimension] = self.sizes[dimension] << bit
            self.bases[unit].append(basis)
        if not still:
            self.sizes[dimension] *= size

    def join_all(
        self, unit: str, sizes: Sequence[int], order: Sequence[int], still: int | None = None
    ) -> None:
        for dimension in order:
            self.join(unit, sizes[dimension], dimension, still=dimension == still)

    def fit(self, shape: Sequence[int]) -> dict[str, tuple[_Place, ...]]:
        """Return the bases for a tile: repeated in registers where it is larger, and the same element in
        several places where it is smaller."""
        for dimension in self.outer:
            if self.sizes[dimension] < shape[dimension]:
                self.join("register", shape[dimension] // self.sizes[dimension], dimension)
        for unit in UNITS:
            for basis in self.bases[unit]:
                for dimension, size in enumerate(shape):
                    if basis[dimension] >= size:
                        basis[dimension] = 0
        return {unit: tuple(map(tuple, self.bases[unit])) for unit in UNITS}


@dataclass(frozen=True)
class _Attribute:
    """A layout's attribute: its kind and its fields, as texts."""

    kind: str
    fields: dict[str, str]
    definitions: dict[str, str]

    @staticmethod
    def read(text: str, definitions: dict[str, str]) -> _Attribute:
        text = definitions.get(text, text)
        match = _NAME.match(text)
        if match is None:
            raise ValueError(text)
        inside = _read_inside(text, match.end()) if match.end() < len(text) else ""
        fields = dict(_split_fields(inside.strip("{}")))
        return _Attribute(match[1], fields, definitions)

    def bases(self, shape: Sequence[int]) -> dict[str, tuple[_Place, ...]]:
        if "CGALayout" in self.fields or "CTAsPerCGA" in self.fields:
            raise Undecoded(
                "This layout spreads a tile over several blocks: that is not told here."
            )
        readers = {
            "blocked": self._blocked,
            "nvidia_mma": self._mma,
            "slice": self._slice,
            "dot_op": self._dot,
            "linear": self._linear,
        }
        if self.kind not in readers:
            name = self.kind.replace("_", " ")
            raise Undecoded(f"Which thread holds what is not told of the layout {name}.")
        return readers[self.kind](shape)

    def _numbers(self, name: str) -> list[int]:
        return [int(word) for word in self.fields[name].strip("[]").split(",")]

    def _blocked(self, shape: Sequence[int]) -> dict[str, tuple[_Place, ...]]:
        order = self._numbers("order")
        bases = _Bases(order)
        bases.join_all("register", self._numbers("sizePerThread"), order)
        bases.join_all("lane", self._numbers("threadsPerWarp"), order)
        bases.join_all("warp", self._numbers("warpsPerCTA"), order)
        return bases.fit(shape)

    def _mma_warps(self) -> tuple[list[int], list[int], bool]:
        """Return the warps along each dimension, their order, and whether it is wgmma's layout."""
        version = int(self.fields["versionMajor"])
        if version not in (2, 3):
            raise Undecoded(
                f"Which thread holds what is not told of version {version} of this layout."
            )
        warps = self._numbers("warpsPerCTA")
        order = list(range(len(warps)))
        return warps, order if version == 3 else order[::-1], version == 3

    def _mma(self, shape: Sequence[int]) -> dict[str, tuple[_Place, ...]]:
        warps, order, _ = self._mma_warps()
        rank = len(warps)
        rows, columns = self._numbers("instrShape")[:2] if rank == 2 else (16, 8)
        bases = _Bases(range(rank - 1, -1, -1))
        _join_fragment(bases, (rank - 1, rank - 2), (columns, rows), 2)
        bases.join_all("warp", warps, order)
        return bases.fit(shape)

    def _dot(self, shape: Sequence[int]) -> dict[str, tuple[_Place, ...]]:
        parent = _Attribute.read(self.fields["parent"], self.definitions)
        first = int(self.fields["opIdx"]) == 0
        rank = len(shape)
        inner = rank - 1 if first else rank - 2  # the dimension that is summed over
        if parent.kind == "blocked":
            return parent._dot_of_blocked(shape, inner)
        if parent.kind != "nvidia_mma":
            raise Undecoded(
                f"Which thread holds what is not told of an operand of {parent.kind.replace('_', ' ')}."
            )
        width = int(self.fields["kWidth"])
        warps, order, is_wgmma = parent._mma_warps()
        if is_wgmma and not first:
            raise Undecoded(
                "wgmma reads its second operand from shared memory: no thread holds it."
            )
        outer = rank - 2 if first else rank - 1
        others = list(range(rank - 3, -1, -1))
        bases = _Bases([inner, outer, *others])
        _join_fragment(bases, (inner, outer), (width * 8, 16 if first else 8), width)
        bases.join_all("warp", warps, order, still=inner)
        return bases.fit(shape)

    def _dot_of_blocked(self, shape: Sequence[int], inner: int) -> dict[str, tuple[_Place, ...]]:
        order = self._numbers("order")
        sizes = self._numbers("sizePerThread")
        sizes[inner] = shape[inner]
        bases = _Bases(order)
        bases.join_all("register", sizes, order)
        bases.join_all("lane", self._numbers("threadsPerWarp"), order, still=inner)
        bases.join_all("warp", self._numbers("warpsPerCTA"), order, still=inner)
        return bases.fit(shape)

    def _slice(self, shape: Sequence[int]) -> dict[str, tuple[_Place, ...]]:
        gone = int(self.fields["dim"])
        parent = _Attribute.read(self.fields["parent"], self.definitions)
        whole = parent.bases((*shape[:gone], 1, *shape[gone:]))
        cut = {
            unit: tuple((*basis[:gone], *basis[gone + 1 :]) for basis in bases)
            for unit, bases in whole.items()
        }
        return {**cut, "register": tuple(basis for basis in cut["register"] if any(basis))}

    def _linear(self, shape: Sequence[int]) -> dict[str, tuple[_Place, ...]]:
        rank = len(shape)
        given = {
            unit: [
                [int(word) for word in group.split(",")]
                for group in re.findall(r"\[([\d, ]+)\]", self.fields[unit])
            ]
            for unit in UNITS
        }
        for unit, bases in given.items():
            if any(len(basis) != rank for basis in bases):
                raise ValueError(unit)
        largest = [
            max([basis[d] for some in given.values() for basis in some], default=0)
            for d in range(rank)
        ]
        laid = _Bases(range(rank))
        laid.bases = given
        laid.sizes = {d: 1 << most.bit_length() for d, most in enumerate(largest)}
        return laid.fit(shape)


def _join_fragment(
    bases: _Bases, dimensions: tuple[int, int], sizes: tuple[int, int], width: int
) -> None:
    """Add a warp's part of an instruction of the tensor cores: `width` elements side by side, four lanes
    beside each other, eight below each other, and what is left of the tile in registers."""
    (inner, outer), (across, down) = dimensions, sizes
    bases.join("register", width, inner)
    bases.join("lane", 4, inner)
    bases.join("lane", 8, outer)
    bases.join("register", down // 8, outer)
    bases.join("register", across // (4 * width), inner)


def _split_fields(text: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of `name = value, name = value`; a value may hold commas in brackets."""
    begins = [match for match in _FIELD.finditer(text) if _depth(text, match.start()) == 0]
    for match, following in zip(begins, [*begins[1:], None], strict=False):
        end = following.start() if following else len(text)
        yield match[1], text[match.end() : end].strip().rstrip(",").strip()


def _depth(text: str, end: int) -> int:
    """Return how many brackets are open at `end`."""
    before = text[:end]
    return sum(before.count(mark) for mark in "[{<") - sum(before.count(mark) for mark in "]}>")
