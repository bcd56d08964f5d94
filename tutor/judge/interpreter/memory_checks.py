"""Checks of each load and store of a launch: bounds, races of programs and of the lanes of one store,
and stores of all programs to one place.

The interpreter runs a kernel program by program on NumPy arrays and checks nothing: a store past the
end lands in other memory, and a race is invisible because programs run one after another. An access out
of bounds is stopped here; a race is reported.

Two programs race if they access the same element and at least one of them writes. Plain loads and
stores alone (`races`) are wrong whatever the output looks like. If one of the two is an atomic
operation (`clashes`), a counter may keep them apart, as where the last program reads what all have
added up; nothing seen here tells this from a fault. A clash therefore fails no case. It is reported as
the cause if the output is wrong, above all where another order of programs gives another output.
"""

import linecache
import sys
from bisect import bisect_right
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import torch

from tutor.judge.interpreter import program_order
from tutor.judge.interpreter.access_recorder import AccessRecorder
from tutor.judge.interpreter.access_report import AccessReport, add_finding
from tutor.judge.interpreter.launch_sketch import SketchRecorder

_SECTOR_BITS = 5
SECTOR = 1 << _SECTOR_BITS  # bytes that a GPU moves at the least
_MAX_PROGRAMS_COMPARED = 4096  # for stores of all programs to one place
_SPOT_BITS = 20  # of a number that names a program and a spot
_LAST_SPOT = (1 << _SPOT_BITS) - 1
_NEVER = np.iinfo(np.int32).max  # as the number of an access: later than all

_VERBS = {"load": "loads", "store": "stores", "atomic": "changes atomically"}
# Accesses of another program that conflict with an access of this kind.
_CONFLICTS = {
    "load": ("store", "atomic"),
    "store": ("store", "load", "atomic"),
    "atomic": ("store", "load"),
}


class OutOfBounds(Exception):
    """A load or store reached outside the tensor; it was not carried out."""


@dataclass(frozen=True)
class TensorRange:
    """A tensor argument of the running launch: bytes [start, stop) of host memory."""

    name: str
    start: int
    stop: int
    itemsize: int

    @property
    def elements(self) -> int:
        return (self.stop - self.start) // self.itemsize


class Spot(NamedTuple):
    """Where an access is: `line` of the learner's file, and `line 7 of kernels.py` as `place` if the
    kernel is in another file (else ""). `line` then launches it, and 7 is the `own` line."""

    line: int | None
    place: str = ""
    own: int | None = None

    def as_fields(self, prefix: str = "") -> dict[str, Any]:
        """Return the fields of a finding that tell the spot."""
        place = {f"{prefix}place": self.place} if self.place else {}
        return {f"{prefix}line": self.line, **place}


@dataclass(frozen=True)
class Access:
    """A load or store of a tile: `address` has the lanes that the mask lets through."""

    address: np.ndarray
    on: np.ndarray | None  # the mask; None if there is none
    shape: tuple[int, ...]  # of the tile
    lanes: int  # of the tile
    kind: str  # "load" | "store"
    atomic: bool
    spot: Spot

    @property
    def way(self) -> str:
        return "atomic" if self.atomic else self.kind


class TensorRanges:
    """Find the tensor that an address belongs to.

    Arguments may overlap (a tensor and a view of it). The range that reaches farthest among those that
    start at or before an address decides whether the address is in any of them.
    """

    def __init__(self, tensors: dict[str, torch.Tensor]) -> None:
        self.ranges = sorted(
            (_range(name, t) for name, t in tensors.items() if t.numel()), key=lambda r: r.start
        )
        self._starts = np.array([r.start for r in self.ranges], np.int64)
        self._own_stops = np.array([r.stop for r in self.ranges], np.int64)
        self._stops = np.maximum.accumulate(self._own_stops) if self.ranges else self._own_stops
        self._owner = np.searchsorted(self._stops, self._stops, side="left")

    def find(self, address: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the index of each address's range, and which addresses are in none."""
        which = np.searchsorted(self._starts, address, side="right") - 1
        outside = (which < 0) | (address >= self._stops[np.maximum(which, 0)])
        return np.where(address < self._own_stops[which], which, self._owner[which]), outside

    def find_one(self, address: np.ndarray) -> int | None:
        """Return the index of the range that all addresses are in, as `find` would for each of them;
        None if there may be several, or none. Nearly all accesses have one, and this is faster."""
        low, high = int(address.min()), int(address.max())
        which = bisect_right(self.ranges, low, key=attrgetter("start")) - 1
        if which < 0 or high >= self.ranges[which].stop:
            return None
        following = which + 1
        if following < len(self.ranges) and high >= self.ranges[following].start:
            return None
        return which

    def nearest(self, address: int) -> TensorRange:
        return min(self.ranges, key=lambda r: min(abs(address - r.start), abs(address - r.stop)))


class RaceCheck:
    """Find elements that two programs of a launch access, at least one of them writing.

    Accesses are numbered in the order in which they happen, one number for each spot of each program.
    For each element of a tensor `_touched` keeps the first access that loaded it, that stored it and
    that changed it atomically. As programs run one after another, the first access is another program's
    if any is.
    """

    def __init__(self, report: AccessReport) -> None:
        self._report = report
        self._touched: dict[tuple[str, str], np.ndarray] = {}
        self._accesses: list[tuple[list[int], Spot]] = []  # program and spot
        self._numbers: dict[Spot, int] = {}  # of the running program
        self._first = 0  # the first number that the running program can have

    def begin_program(self) -> None:
        self._numbers, self._first = {}, len(self._accesses)

    def note(self, tensor: TensorRange, index: np.ndarray, way: str, spot: Spot) -> None:
        """Note that the running program accesses these elements, and report races with others."""
        number = self._number(spot)
        for other in _CONFLICTS[way]:
            before = self._touched.get((tensor.name, other))
            if before is not None and (clash := before[index] < self._first).any():
                self._add(tensor, int(index[clash][0]), way, other, number)
        touched = self._touched.get((tensor.name, way))
        if touched is None:
            touched = np.full(tensor.elements, _NEVER, np.int32)
            self._touched[tensor.name, way] = touched
        touched[index] = np.minimum(touched[index], number)

    def count(self, name: str, *ways: str) -> int:
        """Return how many elements of a tensor were accessed in one of these ways."""
        known = [self._touched[name, way] for way in ways if (name, way) in self._touched]
        return int(np.count_nonzero(np.minimum.reduce(known) < _NEVER)) if known else 0

    def find_stored(self, name: str) -> np.ndarray | None:
        """Return which elements of a tensor were stored or changed atomically; None if none was."""
        known = [
            self._touched[name, way] for way in ("store", "atomic") if (name, way) in self._touched
        ]
        return np.minimum.reduce(known) < _NEVER if known else None

    def _number(self, spot: Spot) -> int:
        if spot not in self._numbers:
            self._numbers[spot] = len(self._accesses)
            self._accesses.append((program_order.program(), spot))
        return self._numbers[spot]

    def _add(self, tensor: TensorRange, element: int, way: str, other: str, number: int) -> None:
        program, spot = self._accesses[number]
        other_program, other_spot = self._accesses[self._touched[tensor.name, other][element]]
        add_finding(
            self._report.clashes if "atomic" in (way, other) else self._report.races,
            {
                "tensor": tensor.name,
                "element": element,
                "program": program,
                "verb": _VERBS[way],
                **spot.as_fields(),
                "other": other_program,
                "other_verb": _VERBS[other],
                **other_spot.as_fields("other_"),
            },
        )


class WaveFetches:
    """Count the elements that waves of programs load: `size` programs with successive numbers at a time.

    Each element that one of them loads is fetched once for all of them. The order in which the
    interpreter runs the programs does not matter.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._seen: dict[tuple[str, int], np.ndarray] = {}  # a bit for each of 64 waves

    def note(self, tensor: TensorRange, index: np.ndarray, program: int) -> None:
        """Note that a program loads these elements."""
        part, bit = divmod(program // self._size, 64)
        seen = self._seen.get((tensor.name, part))
        if seen is None:
            seen = self._seen[tensor.name, part] = np.zeros(tensor.elements, np.uint64)
        seen[index] |= np.uint64(1 << bit)

    def count(self, name: str) -> int:
        """Return how many elements of a tensor the waves fetched."""
        known = [seen for (tensor, _), seen in self._seen.items() if tensor == name]
        return sum(int(np.unpackbits(seen.view(np.uint8)).sum()) for seen in known)


class RepeatedLoads:
    """Find elements of some tensors that one program loads twice."""

    def __init__(self, names: frozenset[str], report: AccessReport) -> None:
        self._names, self._report = names, report
        self._last: dict[str, np.ndarray] = {}  # of each element: who loaded it last, at which spot
        self._spots: list[Spot] = []

    def note(self, tensor: TensorRange, index: np.ndarray, program: int, spot: Spot) -> None:
        """Note that a program loads these elements."""
        if tensor.name not in self._names:
            return
        last = self._last.get(tensor.name)
        if last is None:
            last = self._last[tensor.name] = np.full(tensor.elements, -1, np.int64)
        again = last[index] >> _SPOT_BITS == program
        if again.any():
            element = int(index[again][0])
            first = self._spots[int(last[element]) & _LAST_SPOT]
            add_finding(
                self._report.repeated,
                {
                    "tensor": tensor.name,
                    "element": element,
                    "program": program_order.program(),
                    **spot.as_fields(),
                    **first.as_fields("first_"),
                },
            )
        if spot not in self._spots:
            self._spots.append(spot)
        last[index] = (program << _SPOT_BITS) | self._spots.index(spot)


class LaunchChecks:
    """Check the accesses of one launch of `kernel` with these tensors and add to the report.

    `once`: tensors of which no program is to load an element twice. `sectors`: count them.
    """

    def __init__(
        self,
        tensors: dict[str, torch.Tensor],
        report: AccessReport,
        tracer: AccessRecorder | None,
        filename: str,
        kernel: FunctionType,
        *,
        wave: int = 0,
        once: frozenset[str] = frozenset(),
        sectors: bool = False,
    ) -> None:
        self._ranges = TensorRanges(tensors)
        self._kernel, self._sectors = kernel.__name__, sectors
        self._repeated = RepeatedLoads(once, report) if once else None
        self._report, self._tracer, self._filename = report, tracer, filename
        self._kernel_file = kernel.__code__.co_filename
        self.sketch: SketchRecorder | None = None
        self.races = RaceCheck(report)
        self._waves = WaveFetches(wave) if wave else None
        # The first and last element that each program stored, by spot and tensor.
        self._stores: dict[tuple[Spot, str], dict[int, tuple[int, int]]] = {}
        self._working: set[int] = set()  # programs that have loaded or stored something
        self._loading: set[int] = set()  # programs that have loaded something

    def check(
        self, pointers: Any, mask: Any, kind: str, atomic: bool = False, value: Any = None
    ) -> None:
        """Check one access before it is carried out. Raise `OutOfBounds` if it must not be.

        `value` is what a plain store writes.
        """
        shape = np.shape(pointers.data)
        every = address = np.asarray(pointers.data).reshape(-1).astype(np.int64)
        on = None
        if mask is not None:
            on = np.asarray(mask.data, bool)
            on = (on if on.shape == shape else np.broadcast_to(on, shape)).reshape(-1)
            address = every[on]
        access = Access(address, on, shape, every.size, kind, atomic, self.find_spot())
        if address.size:
            self._check_lanes(access)
            if value is not None and address.size > 1:
                self._find_meeting_lanes(access, value)
        elif self._tracer and every.size and self._ranges.ranges:
            self._trace(access, self._ranges.nearest(int(every[0])), address)

    def note_product(self, factors: str) -> None:
        """Note what a `tl.dot` multiplies, the first time that the kernel multiplies such factors."""
        found = self._report.products
        if not any((p["kernel"], p["factors"]) == (self._kernel, factors) for p in found):
            place = self.find_spot().as_fields()
            add_finding(found, {"kernel": self._kernel, "factors": factors, **place})

    def find_spot(self) -> Spot:
        """Return where the running access is."""
        line = find_line(self._filename)
        if self._kernel_file == self._filename or not (own := find_line(self._kernel_file)):
            return Spot(line)
        return Spot(line, f"line {own} of {Path(self._kernel_file).name}", own)

    def close(self) -> None:
        """Add up the counts of the launch."""
        for tensor in self._ranges.ranges:
            name, size = tensor.name, tensor.itemsize
            self._report.loaded_once += self.races.count(name, "load") * size
            self._report.stored_once += self.races.count(name, "store", "atomic") * size
            if self._waves:
                self._report.fetched += self._waves.count(name) * size
        for (spot, name), by_program in self._stores.items():
            places = set(by_program.values())
            if len(by_program) > 1 and len(places) == 1:
                first, last = places.pop()
                add_finding(
                    self._report.same_stores,
                    {
                        **spot.as_fields(),
                        "tensor": name,
                        "programs": len(by_program),
                        "first": first,
                        "last": last,
                    },
                )

    def find_stored(self) -> dict[int, np.ndarray]:
        """Return which elements of each tensor were stored, by the address of the first one."""
        by_start = {
            tensor.start: self.races.find_stored(tensor.name) for tensor in self._ranges.ranges
        }
        return {start: stored for start, stored in by_start.items() if stored is not None}

    def _check_lanes(self, access: Access) -> None:
        address = access.address
        if not self._ranges.ranges:
            self._stop(access, np.ones(address.size, bool))
        only = self._ranges.find_one(address)
        if only is None:
            which, outside = self._ranges.find(address)
            if outside.any():
                if self._tracer:
                    self._trace_outside(access, outside)
                self._stop(access, outside)
        if self._sectors:
            self._report.sectors += _count_sectors(address) * SECTOR
        program = program_order.program_number()
        if address.size and program not in self._working:
            self._working.add(program)
            self._report.programs += 1
        if address.size and access.kind == "load" and program not in self._loading:
            self._loading.add(program)
            self._report.loading = max(self._report.loading, len(self._loading))
        if only is not None:
            self._note_lanes(access, self._ranges.ranges[only], address, program)
            return
        for k in np.flatnonzero(np.bincount(which)):  # ten times as fast as np.unique
            self._note_lanes(access, self._ranges.ranges[k], address[which == k], program)

    def _note_lanes(
        self, access: Access, tensor: TensorRange, address: np.ndarray, program: int
    ) -> None:
        """Note the lanes of an access that are in `tensor`, at these addresses."""
        index = (address - tensor.start) // tensor.itemsize
        self.races.note(tensor, index, access.way, access.spot)
        if self.sketch:
            line = access.spot.line
            self.sketch.note(program, access.kind, tensor.name, access.shape, index, line)
        if access.kind == "load":
            self._note_load(access, tensor.name, index.size * tensor.itemsize)
            if self._repeated:
                self._repeated.note(tensor, index, program, access.spot)
            if self._waves:
                self._waves.note(tensor, index, program)
        else:
            self._report.stored += index.size * tensor.itemsize
            if access.atomic:
                self._note_atomic(access, tensor.name)
        self._trace(access, tensor, index)
        if access.way == "store" and program < _MAX_PROGRAMS_COMPARED:
            places = self._stores.setdefault((access.spot, tensor.name), {})
            places[program] = (int(index.min()), int(index.max()))

    def _note_load(self, access: Access, name: str, size: int) -> None:
        """Count the bytes of a load, and keep it if it is the widest so far."""
        report = self._report
        report.loaded += size
        if access.on is not None:
            report.masked += size
        if not report.widest or report.widest[0]["lanes"] < access.lanes:
            place = {"kernel": self._kernel, "tensor": name, **access.spot.as_fields()}
            report.widest = [{"lanes": access.lanes, **place}]

    def _note_atomic(self, access: Access, name: str) -> None:
        place = {"kernel": self._kernel, "tensor": name, **access.spot.as_fields()}
        if place not in self._report.atomics:
            add_finding(self._report.atomics, place)

    def _find_meeting_lanes(self, access: Access, value: Any) -> None:
        """Report two lanes of a store that write different numbers to one element.

        Which of them is left there is not defined.
        """
        address = access.address
        if (address[1:] > address[:-1]).all():  # as in most stores
            return
        written = np.broadcast_to(np.asarray(value.data), access.shape).reshape(-1)
        lanes = np.arange(access.lanes) if access.on is None else np.flatnonzero(access.on)
        order = np.argsort(address, kind="stable")
        met = address[order][1:] == address[order][:-1]
        bits = np.ascontiguousarray(written[lanes[order]]).view(f"u{written.dtype.itemsize}")
        met &= bits[1:] != bits[:-1]
        if not met.any():
            return
        at = int(np.flatnonzero(met)[0])
        one, other = (np.unravel_index(lanes[order[i]], access.shape) for i in (at, at + 1))
        first = int(address[order[at]])
        tensor = self._ranges.nearest(first)
        add_finding(
            self._report.lanes,
            {
                "tensor": tensor.name,
                "element": (first - tensor.start) // tensor.itemsize,
                **access.spot.as_fields(),
                "program": program_order.program(),
                "lane": [int(i) for i in one],
                "other": [int(i) for i in other],
            },
        )

    def _stop(self, access: Access, outside: np.ndarray) -> None:
        """Report an access out of bounds and raise `OutOfBounds`."""
        first, at = int(access.address[outside][0]), int(np.flatnonzero(outside)[0])
        lane = at if access.on is None else int(np.flatnonzero(access.on)[at])
        finding: dict[str, Any] = {
            "kind": access.kind,
            "masked": access.on is not None,
            **access.spot.as_fields(),
            "program": program_order.program(),
            "lanes": int(outside.sum()),
            "of": int(access.address.size),
            "lane": [int(i) for i in np.unravel_index(lane, access.shape)],
            "tile": list(access.shape),
        }
        if self._ranges.ranges:
            near = self._ranges.nearest(first)
            finding |= {
                "tensor": near.name,
                "first": (first - near.start) // near.itemsize,
                "elements": near.elements,
            }
        add_finding(self._report.out_of_bounds, finding)
        raise OutOfBounds(f"{access.kind} outside {finding.get('tensor', 'every tensor')}")

    def _trace(self, access: Access, tensor: TensorRange, index: np.ndarray) -> None:
        if self._tracer:
            spot, program = access.spot, program_order.program()
            code = linecache.getline(self._kernel_file, spot.own) if spot.own else ""
            self._tracer.access(
                program, spot.line, access.way, tensor.name, index, access.lanes, spot.place, code
            )

    def _trace_outside(self, access: Access, outside: np.ndarray) -> None:
        """Record the part of a stopped access that is in its tensor, and its first lane outside."""
        assert self._tracer is not None
        address, first = access.address, int(access.address[outside][0])
        tensor = self._ranges.nearest(first)
        own = address[(address >= tensor.start) & (address < tensor.stop)]
        self._trace(access, tensor, (own - tensor.start) // tensor.itemsize)
        self._tracer.outside(int(outside.sum()), (first - tensor.start) // tensor.itemsize)


def find_line(filename: str) -> int | None:
    """Return the line of the innermost call in that file."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == filename:
            return frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _count_sectors(address: np.ndarray) -> int:
    """Return how many sectors these addresses lie in. Marks in an array take less time than a sort."""
    sector = address >> _SECTOR_BITS
    first = sector.min()
    touched = np.zeros(int(sector.max() - first) + 1, bool)
    touched[sector - first] = True
    return int(np.count_nonzero(touched))


def _range(name: str, tensor: torch.Tensor) -> TensorRange:
    extent = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    size = tensor.element_size()
    return TensorRange(name, tensor.data_ptr(), tensor.data_ptr() + extent * size, size)
