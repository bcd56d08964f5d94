"""Watching a kernel in Triton's interpreter: every load and store, with program, lanes and line.

The interpreter runs a kernel program by program on NumPy arrays and checks nothing: a store past the
end lands in other memory, a race is invisible because programs run one after another, and a masked
lane reads as 0 although a GPU promises no value. This module puts a watch between the kernel and
memory that stops the first, reports the second and makes the third visible.

It also has the programs of a launch run in another order than that of their ids, for a GPU promises
none: what is right only if program 0 comes first, or the last one last, is to come out wrong.

Two programs that meet at an element, at least one of them writing, race, and which sort of race it is
decides what follows. Plain loads and stores alone (`races`) are wrong whatever the output looks like.
Where one of the two is an atomic operation (`clashes`), a counter may keep them apart, as where the
program that comes last reads what all have added up: a right answer, which nothing seen here tells
from a wrong one. Such a meeting fails nothing; it is named as the cause of an output that is wrong,
first of all where another order of the programs gives another output (`ordering`).

All private names of Triton that the judge relies on are in this file (`triton.runtime.interpreter`,
read in 3.6.0 and 3.7.1); `tests/judge/interpreter/test_memory_checks.py` has a test for each.
"""

import inspect
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import triton.language as tl
import triton.runtime.interpreter as private
from triton.runtime.autotuner import Autotuner

from tutor.judge.interpreter.access_recorder import Tracer
from tutor.judge.processes import launch_record

MAX_REPORTS = 8  # of each sort; the first few tell the story
MAX_HELD = 32  # tensors a launch was given that are kept while stores are withheld
_MAX_PROGRAMS_TRACED = 4096
_MAX_PROGRAMS_DRAWN = 1 << 20  # a larger grid is not given a drawn order: that would cost memory

BACKWARDS = 0  # as an order: the last program first
_NEVER = np.iinfo(np.int32).max  # for the number of an access: later than all

# What a program does with an element, in words; what another must not have done with it meanwhile.
_VERBS = {"load": "loads", "store": "stores", "atomic": "changes atomically"}
_CONFLICTS = {
    "load": ("store", "atomic"),
    "store": ("store", "load", "atomic"),
    "atomic": ("store", "load"),
}

# What a masked lane without `other` holds while a case runs: nothing a right answer may rest on.
# NaN alone is not enough, for a maximum ignores it (tl.max, propagate_nan off).
POISONS = ("huge", "nan", "-huge")


class OutOfBounds(Exception):
    """A load or store reached outside the tensor; it was not carried out."""


@dataclass(frozen=True)
class _Range:
    """A tensor argument of the running launch: bytes [start, stop) of host memory."""

    name: str
    start: int
    stop: int
    itemsize: int


@dataclass
class Report:
    """What was seen over one or more launches. Offsets count elements from the tensor's first.

    `loaded` and `stored` are bytes that lanes asked for, `…_once` with each element counted once a
    launch; an atomic operation counts as a store.
    """

    launches: int = 0
    programs: int = 0
    loaded: int = 0
    stored: int = 0
    loaded_once: int = 0
    stored_once: int = 0
    out_of_bounds: list[dict[str, Any]] = field(default_factory=list)
    races: list[dict[str, Any]] = field(default_factory=list)
    clashes: list[dict[str, Any]] = field(default_factory=list)  # one of the two is atomic
    undefined: list[dict[str, Any]] = field(default_factory=list)  # masked lanes without `other`
    padded: list[dict[str, Any]] = field(default_factory=list)  # masked lanes with `other`
    same_stores: list[dict[str, Any]] = field(default_factory=list)  # every program, same place
    kernels: list[dict[str, Any]] = field(
        default_factory=list
    )  # launches; see `launch_record.noted`

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


class Watch:
    """Installed once in a process (`install`); `begin` and `end` bracket what is to be reported."""

    def __init__(self, filename: str) -> None:
        self.filename = filename
        self.report = Report()
        self.poison: str | None = None  # for masked lanes without `other`; see POISONS
        self.padding: float | None = None  # for all masked lanes, also those with `other`: a probe
        self.withhold = False  # stores leave memory as it is: what is right now, no kernel wrote
        self.held: list[torch.Tensor] = []  # while stores are withheld: what a launch was given
        self.order: int | None = None  # of programs: as they come, BACKWARDS, or drawn from a seed
        self.tracer: Tracer | None = None  # keeps every access, for the access map
        self._ranges: list[_Range] = []
        self._starts = np.empty(0, np.int64)
        self._stops = np.empty(0, np.int64)
        self._own_stops = np.empty(0, np.int64)
        self._owner = np.empty(0, np.int64)
        # Accesses are numbered in the order in which they happen, one number for each line of each
        # program. Of each element of a tensor: the first that loaded it, stored it, or changed it
        # atomically. As programs run one after another, what is first is another program's if any is.
        self._touched: dict[tuple[str, str], np.ndarray] = {}
        self._accesses: list[tuple[list[int], int | None]] = []  # program and line
        self._numbers: dict[int | None, int] = {}  # of the running program, by line
        self._first = 0  # the first number that the running program can have
        self._drawn = np.empty(0, np.int64)  # the order of this launch's programs
        self._stores: dict[tuple[int, str], dict[int, tuple[int, int]]] = {}
        self._active = False

    def begin(
        self,
        poison: str | None,
        padding: float | None = None,
        withhold: bool = False,
        order: int | None = None,
    ) -> None:
        self.report = Report()
        self.poison, self.padding, self.order = poison, padding, order
        self.withhold, self.held = withhold, []

    def trace(self, on: bool) -> None:
        """Keep every access from now on, or none."""
        self.tracer = Tracer() if on else None

    def install(self) -> None:
        """Put the watch under the interpreter's loads, stores, atomics and launches."""
        builder = private.InterpreterBuilder
        watch = self
        plain_load, plain_store = builder.create_load, builder.create_store
        load, store = builder.create_masked_load, builder.create_masked_store
        rmw, cas = builder.create_atomic_rmw, builder.create_atomic_cas
        call, place = private.GridExecutor.__call__, builder.set_grid_idx

        def set_grid_idx(self: Any, x: int, y: int, z: int) -> None:
            place(self, *watch._next_program(x, y, z))

        def create_load(self: Any, ptr: Any, *rest: Any) -> Any:
            watch._check(ptr, None, "load")
            return watch._unwatched(lambda: plain_load(self, ptr, *rest))

        def create_store(self: Any, ptr: Any, value: Any, *rest: Any) -> Any:
            watch._check(ptr, None, "store")
            return watch._unwatched(lambda: plain_store(self, ptr, value, *rest))

        def create_masked_load(
            self: Any, ptrs: Any, mask: Any, other: Any, *rest: Any, **kw: Any
        ) -> Any:
            watch._check(ptrs, mask, "load")
            result = load(self, ptrs, mask, other, *rest, **kw)
            return watch._pad(result, ptrs, mask, other)

        def create_masked_store(self: Any, ptrs: Any, value: Any, mask: Any, *rest: Any) -> Any:
            watch._check(ptrs, mask, "store")
            return None if watch.withhold else store(self, ptrs, value, mask, *rest)

        def create_atomic_rmw(
            self: Any, op: Any, ptr: Any, value: Any, mask: Any, *rest: Any
        ) -> Any:
            watch._check(ptr, mask, "store", atomic=True)
            if watch.withhold:
                mask = private.TensorHandle(np.zeros_like(mask.data), mask.dtype)
            return rmw(self, op, ptr, value, mask, *rest)

        def create_atomic_cas(self: Any, ptr: Any, old: Any, new: Any, *rest: Any) -> Any:
            watch._check(ptr, None, "store", atomic=True)
            return cas(self, ptr, old, old if watch.withhold else new, *rest)

        def launch(self: Any, *args: Any, **kwargs: Any) -> Any:
            watch._open(self, args, kwargs)
            try:
                result = call(self, *args, **kwargs)
                watch.report.programs += int(np.prod(watch._grid()))
                return result
            finally:
                watch._close()

        init = Autotuner.__init__

        def first_config(self: Any, *args: Any, **kwargs: Any) -> None:
            # Choosing among configurations means timing them on a device, which is not here. The
            # first must be right like any other.
            init(self, *args, **kwargs)
            self.configs = self.configs[:1]

        Autotuner.__init__ = first_config
        _let_truths_be_arguments()
        builder.create_load, builder.create_store = create_load, create_store
        builder.create_masked_load = create_masked_load
        builder.create_masked_store = create_masked_store
        builder.create_atomic_rmw, builder.create_atomic_cas = create_atomic_rmw, create_atomic_cas
        builder.set_grid_idx = set_grid_idx
        private.GridExecutor.__call__ = launch

    # --- a launch ---------------------------------------------------------------------------------

    def _open(self, executor: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        names = inspect.getfullargspec(executor.fn).args
        given = dict(zip(names, args, strict=False)) | kwargs
        tensors = {name: t for key, value in given.items() for name, t in _tensors(key, value)}
        # The interpreter works on host copies of device tensors: their addresses are not known here.
        self._active = all(t.device.type == "cpu" for t in tensors.values())
        self._ranges = sorted(
            (_range(name, t) for name, t in tensors.items() if t.numel()), key=lambda r: r.start
        )
        # Arguments may overlap (a tensor and a view of it). The range that reaches farthest among
        # those that start at or before an address decides whether the address is in any of them.
        self._starts = np.array([r.start for r in self._ranges], np.int64)
        stops = np.array([r.stop for r in self._ranges], np.int64)
        self._stops = np.maximum.accumulate(stops) if self._ranges else stops
        self._owner = np.searchsorted(self._stops, self._stops, side="left")
        self._own_stops = stops
        self._touched, self._accesses, self._stores = {}, [], {}
        if self.withhold and len(self.held) < MAX_HELD:
            self.held += [t.detach().clone() for t in tensors.values()]
        self.report.launches += 1
        self._note_launch(
            launch_record.noted(executor.fn, executor.constexprs, args, kwargs, self._line())
        )
        private.interpreter_builder.set_grid_dim(0, 0, 0)  # not that of the launch before
        if self.tracer:
            self.tracer.open(executor.fn.__name__, {n: t for n, t in tensors.items() if t.numel()})

    def _note_launch(self, launch: dict[str, Any]) -> None:
        """Of launches that differ only in sizes the largest is kept."""
        kept = self.report.kernels
        for at, known in enumerate(kept):
            if known["key"] == launch["key"]:
                if known["elements"] < launch["elements"]:
                    kept[at] = launch
                return
        _add(kept, launch)

    def _close(self) -> None:
        self._active = False
        size = {r.name: r.itemsize for r in self._ranges}
        for name in size:
            self.report.loaded_once += self._elements(name, "load") * size[name]
            self.report.stored_once += self._elements(name, "store", "atomic") * size[name]
        if self.tracer:
            self.tracer.close(self._grid())
        for (line, name), by_program in self._stores.items():
            places = set(by_program.values())
            if len(by_program) > 1 and len(places) == 1:
                first, last = places.pop()
                _add(
                    self.report.same_stores,
                    {"line": line, "tensor": name, "programs": len(by_program),
                     "first": first, "last": last},
                )  # fmt: skip

    def _unwatched(self, run: Any) -> Any:
        """Run an unmasked access, which the interpreter turns into a masked one, checked already."""
        active, self._active = self._active, False
        try:
            return run()
        finally:
            self._active = active

    # --- one access -------------------------------------------------------------------------------

    def _check(self, ptrs: Any, mask: Any, kind: str, atomic: bool = False) -> None:
        if not self._active:
            return
        every = address = np.asarray(ptrs.data).reshape(-1).astype(np.int64)
        on = None
        if mask is not None:
            on = np.broadcast_to(np.asarray(mask.data, bool), np.shape(ptrs.data)).reshape(-1)
            address = every[on]
        if address.size == 0:
            if self.tracer and every.size and self._ranges:
                self._trace(self._nearest(int(every[0])), address, every.size, kind, atomic)
            return
        shape = np.shape(ptrs.data)
        if not self._ranges:
            self._out_of_bounds(address, np.ones(address.size, bool), on, shape, kind)
        which = np.searchsorted(self._starts, address, side="right") - 1
        outside = (which < 0) | (address >= self._stops[np.maximum(which, 0)])
        if outside.any():
            if self.tracer:
                self._trace_outside(address, outside, every.size, kind, atomic)
            self._out_of_bounds(address, outside, on, shape, kind)
        which = np.where(address < self._own_stops[which], which, self._owner[which])
        program = self._program_number()
        for k in np.flatnonzero(np.bincount(which)):  # np.unique, at a tenth of its time
            tensor = self._ranges[k]
            index = (address[which == k] - tensor.start) // tensor.itemsize
            self._note_race(tensor, index, "atomic" if atomic else kind)
            if kind == "load":
                self.report.loaded += index.size * tensor.itemsize
            else:
                self.report.stored += index.size * tensor.itemsize
            if self.tracer:
                self._trace(tensor, index, every.size, kind, atomic)
            if kind == "store" and not atomic and program < _MAX_PROGRAMS_TRACED:
                place = self._stores.setdefault((self._line() or 0, tensor.name), {})
                place[program] = (int(index.min()), int(index.max()))

    def _out_of_bounds(
        self,
        address: np.ndarray,
        outside: np.ndarray,
        on: np.ndarray | None,
        shape: tuple[int, ...],
        kind: str,
    ) -> None:
        """`address`: of the lanes that the mask `on` lets through (None: there is no mask), in a tile
        of this shape."""
        first, at = int(address[outside][0]), int(np.flatnonzero(outside)[0])
        lane = at if on is None else int(np.flatnonzero(on)[at])
        report: dict[str, Any] = {
            "kind": kind, "masked": on is not None, "line": self._line(),
            "program": self._program(), "lanes": int(outside.sum()), "of": int(address.size),
            "lane": [int(i) for i in np.unravel_index(lane, shape)], "tile": list(shape),
        }  # fmt: skip
        if self._ranges:
            # The tensor it was meant for: the one that most lanes hit, else the nearest one.
            near = self._nearest(first)
            report |= {
                "tensor": near.name,
                "first": (first - near.start) // near.itemsize,
                "elements": (near.stop - near.start) // near.itemsize,
            }
        _add(self.report.out_of_bounds, report)
        raise OutOfBounds(f"{kind} outside {report.get('tensor', 'every tensor')}")

    def _nearest(self, address: int) -> _Range:
        return min(self._ranges, key=lambda r: min(abs(address - r.start), abs(address - r.stop)))

    def _trace(
        self, tensor: _Range, index: np.ndarray, lanes: int, kind: str, atomic: bool
    ) -> None:
        assert self.tracer is not None
        what = "atomic" if atomic else kind
        self.tracer.access(self._program(), self._line(), what, tensor.name, index, lanes)

    def _trace_outside(
        self, address: np.ndarray, outside: np.ndarray, lanes: int, kind: str, atomic: bool
    ) -> None:
        """An access that is stopped: what of it lies in its tensor, and the first lane that does not."""
        assert self.tracer is not None
        first = int(address[outside][0])
        tensor = self._nearest(first)
        own = address[(address >= tensor.start) & (address < tensor.stop)]
        inside = (own - tensor.start) // tensor.itemsize
        self._trace(tensor, inside, lanes, kind, atomic)
        self.tracer.outside(int(outside.sum()), (first - tensor.start) // tensor.itemsize)

    def _note_race(self, tensor: _Range, index: np.ndarray, way: str) -> None:
        number = self._access()
        for other in _CONFLICTS[way]:
            before = self._touched.get((tensor.name, other))
            if before is not None and (clash := before[index] < self._first).any():
                self._race(tensor, int(index[clash][0]), way, other, number)
        touched = self._touched.get((tensor.name, way))
        if touched is None:
            elements = (tensor.stop - tensor.start) // tensor.itemsize
            touched = self._touched[tensor.name, way] = np.full(elements, _NEVER, np.int32)
        touched[index] = np.minimum(touched[index], number)

    def _elements(self, name: str, *ways: str) -> int:
        """How many elements of a tensor programs have touched in one of these ways."""
        known = [self._touched[name, way] for way in ways if (name, way) in self._touched]
        return int(np.count_nonzero(np.minimum.reduce(known) < _NEVER)) if known else 0

    def _race(self, tensor: _Range, element: int, way: str, other: str, number: int) -> None:
        program, line = self._accesses[number]
        other_program, other_line = self._accesses[self._touched[tensor.name, other][element]]
        _add(
            self.report.clashes if "atomic" in (way, other) else self.report.races,
            {"tensor": tensor.name, "element": element,
             "program": program, "verb": _VERBS[way], "line": line,
             "other": other_program, "other_verb": _VERBS[other], "other_line": other_line},
        )  # fmt: skip

    def _access(self) -> int:
        """The number of the access that is going on."""
        line = self._line()
        if line not in self._numbers:
            self._numbers[line] = len(self._accesses)
            self._accesses.append((self._program(), line))
        return self._numbers[line]

    def _pad(self, result: Any, ptrs: Any, mask: Any, other: Any) -> Any:
        """Fill the masked lanes of a load with what a right program must not depend on."""
        if not self._active:
            return result
        off = ~np.broadcast_to(np.asarray(mask.data, bool), np.shape(result.data))
        if not off.any():
            return result
        seen = {"line": self._line(), "lanes": int(off.sum()), "program": self._program()}
        _add(self.report.undefined if other is None else self.report.padded, seen)
        element = ptrs.dtype.scalar.element_ty if hasattr(ptrs.dtype, "scalar") else None
        value: Any = None
        if self.padding is not None:
            value = self.padding
        elif other is None and self.poison:
            value = self.poison
        if value is not None:
            data = np.array(result.data)
            data[off] = _bits(value, data.dtype, str(element))
            result.data = data
        return result

    # --- where ------------------------------------------------------------------------------------

    def _next_program(self, x: int, y: int, z: int) -> tuple[int, int, int]:
        """The program that runs where the interpreter is about to run this one."""
        self._numbers, self._first = {}, len(self._accesses)
        if self.order is None or self.tracer:  # a map is read program by program, in their order
            return x, y, z
        nx, ny, nz = self._grid()
        count = nx * ny * nz
        if self.order == BACKWARDS or count > _MAX_PROGRAMS_DRAWN:
            return nx - 1 - x, ny - 1 - y, nz - 1 - z
        if x == y == z == 0:
            self._drawn = _drawn(count, self.order)
        number = int(self._drawn[(x * ny + y) * nz + z])
        return number // (ny * nz), number // nz % ny, number % nz

    def _program(self) -> list[int]:
        return [int(i) for i in private.interpreter_builder.grid_idx]

    def _program_number(self) -> int:
        x, y, z = private.interpreter_builder.grid_idx
        _, ny, nz = private.interpreter_builder.grid_dim
        return int((x * ny + y) * nz + z)

    def _grid(self) -> list[int]:
        return [int(n) for n in private.interpreter_builder.grid_dim]

    def _line(self) -> int | None:
        frame = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == self.filename:
                return frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        return None


def _tensors(name: str, value: Any) -> list[tuple[str, torch.Tensor]]:
    """The tensors of one kernel argument: itself, a tuple's elements, a tensor descriptor's base."""
    if isinstance(value, torch.Tensor):
        return [(name, value)]
    if isinstance(value, tuple):
        return [t for i, each in enumerate(value) for t in _tensors(f"{name}[{i}]", each)]
    # TensorDescriptor and TensorWrapper (triton.reinterpret) keep theirs in `base`.
    base = getattr(value, "base", None)
    return [(name, base)] if isinstance(base, torch.Tensor) else []


def _let_truths_be_arguments() -> None:
    """Let `True` and `False` be run-time arguments of a kernel, as a compiled one has them (i1).

    Triton 3.6 and 3.7 put them into 32-bit arrays and then refuse those as too wide for their type.
    """
    convert = private._implicit_cvt

    def converted(arg: Any) -> Any:
        if isinstance(arg, bool):
            return tl.tensor(private.TensorHandle(np.array([arg]), tl.int1), tl.int1)
        return convert(arg)

    private._implicit_cvt = converted


def mend_loops() -> None:
    """Let a scalar of the interpreter be a loop's bound under NumPy 2.4 and newer.

    Triton 3.6 makes the bound of `range(n)` by `int(array of shape [1])`, which NumPy gave up in 2.4;
    Triton 3.7 does it right. To be called before a kernel runs; harmless where nothing is broken.
    """
    patch = private._patch_lang_tensor

    def mended(tensor: Any, scope: Any) -> None:
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    private._patch_lang_tensor = mended


def patch_once() -> None:
    """Leave `triton.language` as the interpreter needs it, once it is.

    Triton 3.6 and 3.7 replace some two hundred functions before each launch and put them back after it:
    a quarter of a small launch's time. To be called in a process that does nothing but interpret.
    """
    patch = private._patch_lang
    done: set[frozenset[int]] = set()

    def patched(fn: Any) -> Any:
        space = fn.__globals__.values()
        names = frozenset(id(each) for each in space if each is tl or each is tl.core)
        if names not in done:
            patch(fn)
            done.add(names)
        return private._LangPatchScope()  # nothing to put back

    private._patch_lang = patched


def _drawn(count: int, seed: int) -> np.ndarray:
    """The numbers below `count` in an order that follows from the seed; 0 is never the first of
    several, so that two programs are always exchanged."""
    order = np.random.default_rng(seed).permutation(count)
    return order[::-1] if order[0] == 0 else order


def _range(name: str, tensor: torch.Tensor) -> _Range:
    extent = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    size = tensor.element_size()
    return _Range(name, tensor.data_ptr(), tensor.data_ptr() + extent * size, size)


def _add(reports: list[dict[str, Any]], report: dict[str, Any]) -> None:
    if len(reports) < MAX_REPORTS:
        reports.append(report)


def _bits(value: str | float, dtype: np.dtype, element: str) -> Any:
    """`value` ("huge", "-huge", "nan" or a number) as an element of an interpreter's array.

    The interpreter keeps bfloat16 as its upper 16 bits in uint16. "nan" has the two highest bits of its
    fraction set: what is calculated with it has them too (IEEE 754-2019, 6.2.3), and is not the NaN,
    with one, that memory is filled with before a kernel runs (`patterns.untouched`).
    """
    if isinstance(value, str):
        largest = float(np.finfo(np.float32).max)
        numbers = {"huge": largest, "-huge": -largest, "nan": float("nan")}
        value = numbers[value]
    if element == "bf16":
        return (_bits(value, np.dtype(np.float32), "fp32").view(np.uint32) >> 16).astype(np.uint16)
    if dtype.kind == "f":
        if value != value:
            all_ones = (1 << (8 * dtype.itemsize - 1)) - 1
            below = (1 << (np.finfo(dtype).nmant - 2)) - 1
            return np.array(all_ones & ~below, f"u{dtype.itemsize}").view(dtype)[()]
        with np.errstate(over="ignore"):
            return dtype.type(value)
    if dtype.kind == "b":
        return True
    info = np.iinfo(dtype)
    if value != value:
        return info.max
    return dtype.type(min(max(value, info.min), info.max))
