"""A second record of what each program loads and stores, seen in memory itself.

`access_recorder` trusts addresses and masks. Here neither is read. A load is carried out once more after
all bits of a tensor were inverted: the lanes that change come from that tensor. A store is carried out
once on memory as it is and once on inverted memory: what is equal after both was written. So two
records exist of one run that share no step, and what both say can be asked of the learner.

Private names of Triton (3.6.0 and 3.7.1): the module's `_interpreter` with `load`, `store`,
`atomic_rmw` and `atomic_cas`.
"""

import sys
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np
import torch
import triton.runtime.interpreter as private

from tutor.judge.interpreter import program_order
from tutor.judge.model.access_map import (
    MAX_BLOCKS,
    MAX_ELEMENTS,
    MAX_LAUNCHES,
    MAX_NAME,
    MAX_PROGRAMS,
    MAX_STEPS,
)
from tutor.judge.model.tensor_grid import join_runs
from tutor.judge.model.witness import MAX_ARGUMENTS, MAX_NUMBERS

MOST_INVERTED = 6 << 30  # bytes of a run: some seconds
_PLAIN = (int, float, bool)
_MOST_BITS = 61  # of a whole number in a message
_Part = tuple[int, int, list[Any], bool]  # a `WitnessPart`


class MemoryWitness:
    """The launches of a run with what each program was seen to load and store. It stops after
    `MOST_INVERTED` bytes; what came until then is kept and marked as not complete."""

    def __init__(self, find_line: Callable[[], int | None]) -> None:
        self.launches: list[dict[str, Any]] = []
        self.left_out = 0  # number of launches
        self._find_line = find_line
        self._tensors: list[_Watched] = []
        self._program: dict[str, Any] = {}
        self._open = False
        self._left = MOST_INVERTED
        self._kernel: CodeType | None = None  # of the running launch

    @property
    def is_open(self) -> bool:
        return self._open

    def open(
        self, kernel: FunctionType, tensors: dict[str, torch.Tensor], given: dict[str, Any]
    ) -> None:
        """Begin a launch with these tensors among its arguments `given`."""
        self._open = len(self.launches) < MAX_LAUNCHES and all(
            t.numel() <= MAX_ELEMENTS for t in tensors.values()
        )
        if not self._open:
            self.left_out += 1
            return
        self._tensors = [_Watched(tensor) for tensor in tensors.values()]
        self._program = {}
        plain = [
            [name[:MAX_NAME], str(value)[:MAX_NAME]]
            for name, value in ((n, getattr(v, "value", v)) for n, v in given.items())
            if type(value) in _PLAIN
        ]
        self.launches.append(
            {
                "kernel": kernel.__name__[:MAX_NAME],
                "arguments": plain[:MAX_ARGUMENTS],
                "grid": [0, 0, 0],
                "programs": [],
                "complete": True,
            }
        )
        self._kernel = kernel.__code__
        sys.setprofile(self._note_return)

    def close(self) -> None:
        if self._open:
            sys.setprofile(None)
        self._open = False
        self._tensors = []

    def begin_program(self, x: int, y: int, z: int) -> None:
        """Count the program: the grid is as large as the programs that ran."""
        if self._open:
            grid = self.launches[-1]["grid"]
            self.launches[-1]["grid"] = [
                max(a, b + 1) for a, b in zip(grid, (x, y, z), strict=True)
            ]

    def _note_return(self, frame: FrameType, event: str, _: object) -> None:
        """Keep the whole numbers that a program's names hold at its end, where it is an access's."""
        if event != "return" or self._kernel is None or not self._program:
            return
        code, wanted = frame.f_code, self._kernel
        if (code.co_name, code.co_filename) != (wanted.co_name, wanted.co_filename):
            return
        if self._program["id"] == program_order.program():
            numbers = [[name, value] for name, value in frame.f_locals.items() if _is_plain(value)]
            self._program["numbers"] = [each for each in numbers if each[0].isidentifier()][
                :MAX_NUMBERS
            ]

    def to_json(self) -> dict[str, Any]:
        return {"launches": self.launches, "left_out": self.left_out}

    # --- what the interpreter does to memory ------------------------------------------------------

    def load(self, load: Callable[[], np.ndarray]) -> np.ndarray:
        """Carry out a load, and note which lanes come from which tensor."""
        got = load()
        if not self._may_go_on(2):
            return got
        seen: list[_Part] = []
        for number, tensor in enumerate(self._tensors):
            tensor.invert()
            changed = int(_find_changed(got, load()).sum())
            tensor.invert()
            if changed:
                seen.append((number, changed, [], False))
        self._note("load", got.size, seen)
        return got

    def store(self, store: Callable[[], None], lanes: int) -> None:
        """Carry out a store, and note which elements it writes."""
        if not self._may_go_on(4):
            store()
            return
        after = self._run_twice(store)[1]
        seen: list[_Part] = []
        for number, (tensor, bytes_after) in enumerate(zip(self._tensors, after, strict=True)):
            index, partly = tensor.whole_elements(tensor.bytes == bytes_after)
            tensor.bytes[:] = bytes_after
            if index.size or partly:
                blocks, cut = _blocks(index)
                seen.append((number, int(index.size), blocks, cut or partly))
        self._note("store", lanes, seen)

    def update(self, update: Callable[[], np.ndarray]) -> np.ndarray:
        """Carry out an atomic operation, and note which elements it changes, of memory as it is or of
        inverted memory. One that changes neither, as an addition of 0 does, is not seen."""
        if not self._may_go_on(5):
            return update()
        before = [tensor.bytes.copy() for tensor in self._tensors]
        results, after = self._run_twice(update)
        first: np.ndarray = results[0]
        seen: list[_Part] = []
        changes = zip(self._tensors, before, after, strict=True)
        for number, (tensor, bytes_before, bytes_after) in enumerate(changes):
            changed = (tensor.bytes != ~bytes_before) | (bytes_after != bytes_before)
            tensor.bytes[:] = bytes_after
            count = tensor.count_elements(changed)
            if count:
                seen.append((number, count, [], True))
        self._note("atomic", first.size, seen)
        return first

    def _run_twice(self, run: Callable[[], Any]) -> tuple[tuple[Any, Any], list[np.ndarray]]:
        """Run on memory as it is, then on inverted memory, which stays so. Return both results, and the
        bytes of each tensor after the first."""
        before = [tensor.bytes.copy() for tensor in self._tensors]
        first = run()
        after = [tensor.bytes.copy() for tensor in self._tensors]
        for tensor, bytes_before in zip(self._tensors, before, strict=True):
            np.invert(bytes_before, out=tensor.bytes)
        return (first, run()), after

    def _may_go_on(self, passes: int) -> bool:
        if not self._open or not self.launches[-1]["complete"]:
            return False
        self._left -= passes * sum(tensor.bytes.size for tensor in self._tensors)
        if self._left < 0:
            self.launches[-1]["complete"] = False
        return self._left >= 0

    def _note(self, kind: str, lanes: int, seen: list[_Part]) -> None:
        launch, program = self.launches[-1], program_order.program()
        if not self._program or self._program["id"] != program:
            if len(launch["programs"]) == MAX_PROGRAMS:
                launch["complete"] = False
                return
            self._program = {"id": program, "steps": []}
            launch["programs"].append(self._program)
        if len(self._program["steps"]) >= MAX_STEPS:
            launch["complete"] = False
            return
        self._program["steps"].append(
            {
                "line": self._find_line(),
                "kind": kind,
                "lanes": lanes,
                "parts": [
                    {"tensor": number, "on": on, "blocks": blocks, "cut": cut}
                    for number, on, blocks, cut in seen
                ],
            }
        )


class _Watched:
    """The bytes of host memory in which a tensor's elements are, from its first to its last."""

    def __init__(self, tensor: torch.Tensor) -> None:
        tensor = tensor.detach()
        self._size = tensor.element_size()
        reach = [(n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True)]
        count = (1 + sum(reach)) * self._size if tensor.numel() else 0
        raw = torch.empty(0, dtype=torch.uint8)
        start = tensor.storage_offset() * self._size
        self.bytes: np.ndarray = raw.set_(tensor.untyped_storage(), start, (count,), (1,)).numpy()
        # Where in memory the elements are, in row-major order, counted from the first.
        places: np.ndarray = np.zeros((), np.int64)
        for n, stride in zip(tensor.shape, tensor.stride(), strict=True):
            places = places[..., None] + np.arange(n, dtype=np.int64) * stride
        self._places = places.reshape(-1)

    def invert(self) -> None:
        np.invert(self.bytes, out=self.bytes)

    def whole_elements(self, written: np.ndarray) -> tuple[np.ndarray, bool]:
        """Return the elements whose bytes were all written, rising, and True if others were too."""
        if not self.bytes.size:
            return np.empty(0, np.int64), False
        touched: np.ndarray = written.reshape(-1, self._size)
        whole: np.ndarray = np.all(touched, axis=1)
        index = np.flatnonzero(whole[self._places])
        return index, bool(touched.sum() != whole[self._places].sum() * self._size)

    def count_elements(self, changed: np.ndarray) -> int:
        """Return how many elements have a byte that changed."""
        return int(changed.reshape(-1, self._size).any(axis=1).sum()) if changed.size else 0


class WatchedOperations:
    """Triton's compiled operations on memory, watched by what `witness` returns while it is no None."""

    def __init__(self, real: Any, witness: Callable[[], MemoryWitness | None]) -> None:
        self._real, self._witness = real, witness

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def load(self, *args: Any) -> Any:
        witness = self._witness()
        return witness.load(lambda: self._real.load(*args)) if witness else self._real.load(*args)

    def store(self, *args: Any) -> Any:
        witness = self._witness()
        if witness is None:
            return self._real.store(*args)
        return witness.store(lambda: self._real.store(*args), int(np.size(args[0])))

    def atomic_rmw(self, *args: Any) -> Any:
        return self._update(self._real.atomic_rmw, args)

    def atomic_cas(self, *args: Any) -> Any:
        return self._update(self._real.atomic_cas, args)

    def _update(self, update: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        witness = self._witness()
        return witness.update(lambda: update(*args)) if witness else update(*args)


def install(witness: Callable[[], MemoryWitness | None]) -> None:
    """Put watched operations in the place of Triton's. `witness` returns None while nobody watches."""
    private._interpreter = WatchedOperations(private._interpreter, witness)


def _is_plain(value: object) -> bool:
    return type(value) is int and value.bit_length() <= _MOST_BITS


def _find_changed(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return which lanes differ in any bit."""
    differs: np.ndarray = (_bytes_of(one) != _bytes_of(other)).any(axis=1)
    return differs


def _bytes_of(lanes: np.ndarray) -> np.ndarray:
    flat = np.ascontiguousarray(lanes).reshape(-1)
    return flat.view(np.uint8).reshape(flat.size, -1)


def _blocks(index: np.ndarray) -> tuple[list[Any], bool]:
    """Return rising numbers as at most `MAX_BLOCKS` blocks, and True if some are cut."""
    if not index.size:
        return [], False
    ends = np.flatnonzero(np.diff(index, append=index[-1] + 2) != 1)
    starts = np.concatenate(([0], ends[:-1] + 1))
    runs = zip(index[starts].tolist(), (ends - starts + 1).tolist(), strict=True)
    blocks = join_runs(runs)
    return blocks[:MAX_BLOCKS], len(blocks) > MAX_BLOCKS
