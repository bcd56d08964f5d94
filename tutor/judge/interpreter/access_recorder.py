"""A compact record of every load and store of a run for the access map. Checks nothing.

Sets of elements are kept as blocks (`tensor_grid.Block`), numbered in the row-major order of the
kernel's argument whatever its strides are. `judge/model/access_map.py` reads the record.
"""

from typing import Any

import numpy as np
import torch

from tutor.judge.model.access_map import (
    KINDS,
    MAX_BLOCKS,
    MAX_ELEMENTS,
    MAX_LAUNCHES,
    MAX_NAME,
    MAX_PROGRAMS,
    MAX_STEPS,
)
from tutor.judge.model.tensor_grid import Block, join_runs


class AccessRecorder:
    """The launches of a run with what each program loads and stores. Launches after the first few,
    and those with large tensors, are only counted."""

    def __init__(self) -> None:
        self.launches: list[dict[str, Any]] = []
        self.left_out = 0  # number of launches
        self._names: list[str] = []
        self._tensors: list[torch.Tensor] = []
        # For each element of each tensor: the last program that loaded it, that stored it and that
        # changed it atomically, and if a second program did so too. Programs run one after another.
        self._last: list[dict[str, np.ndarray]] = []
        self._twice: list[dict[str, np.ndarray]] = []
        self._program: dict[str, Any] = {}
        self._open = False

    def open(self, kernel: str, tensors: dict[str, torch.Tensor]) -> None:
        """Begin a launch that has these tensors as arguments."""
        self._open = len(self.launches) < MAX_LAUNCHES and all(
            t.numel() <= MAX_ELEMENTS for t in tensors.values()
        )
        if not self._open:
            self.left_out += 1
            return
        self._names, self._tensors = list(tensors), list(tensors.values())
        self._last = [_arrays(t, -1, np.int64) for t in self._tensors]
        self._twice = [_arrays(t, 0, bool) for t in self._tensors]
        self._program = {}
        self.launches.append(
            {
                "kernel": kernel,
                "grid": [0, 0, 0],
                "programs": [],
                "loaded": 0,
                "stored": 0,
                "tensors": [
                    {
                        "name": name,
                        "dtype": str(t.dtype).removeprefix("torch."),
                        "shape": list(t.shape),
                        "itemsize": t.element_size(),
                    }
                    for name, t in tensors.items()
                ],
            }
        )

    def access(
        self,
        program: list[int],
        line: int | None,
        kind: str,
        name: str,
        index: np.ndarray,
        lanes: int,
        place: str = "",
        code: str = "",
    ) -> None:
        """Record an access. `index` counts elements of memory from the tensor's first, one a lane.

        `place` and `code` are those of a kernel in another file."""
        if not self._open:
            return
        launch, tensor = self.launches[-1], self._names.index(name)
        logical, beside = _logical(index, self._tensors[tensor])
        self._count(program, kind, tensor, logical)
        way = "loaded" if kind == "load" else "stored"
        launch[way] += index.size * self._tensors[tensor].element_size()
        if not self._program or self._program["id"] != program:
            self._program = {"id": program, "steps": [], "left_out": 0}
            if len(launch["programs"]) < MAX_PROGRAMS:
                launch["programs"].append(self._program)
        if len(launch["programs"]) == MAX_PROGRAMS and self._program is not launch["programs"][-1]:
            return
        if len(self._program["steps"]) >= MAX_STEPS:
            self._program["left_out"] += 1
            return
        blocks, cut = _blocks(np.unique(logical))
        self._program["steps"].append(
            {
                "line": line,
                "kind": kind,
                "tensor": tensor,
                "on": int(index.size),
                "lanes": lanes,
                "blocks": blocks,
                "cut": cut,
                "beside": beside,
                "outside": 0,
                "first_outside": 0,
                "place": _printable(place),
                "code": _printable(code),
            }
        )

    def outside(self, lanes: int, first: int) -> None:
        """Note that some lanes of the last access are outside its tensor, the first at `first`."""
        if self._open and self._program["steps"] and not self._program["left_out"]:
            self._program["steps"][-1].update(outside=lanes, first_outside=first)

    def close(self, grid: list[int]) -> None:
        if not self._open:
            return
        self._open = False
        launch = self.launches[-1]
        launch["grid"] = grid
        for tensor, last, twice in zip(launch["tensors"], self._last, self._twice, strict=True):
            loaded, stored = last["load"] >= 0, last["store"] >= 0
            others = last["load"] != last["store"]  # a second program on either side also counts
            sets = {
                "loaded": loaded,
                "stored": stored | (last["atomic"] >= 0),
                "loaded_twice": twice["load"],
                "stored_twice": twice["store"],
                "crossed": loaded & stored & (others | twice["load"] | twice["store"]),
            }
            cut = False
            for name, elements in sets.items():
                tensor[name], more = _blocks(np.flatnonzero(elements))
                cut = cut or more
            tensor["cut"] = cut

    def to_json(self) -> dict[str, Any]:
        return {"launches": self.launches, "left_out": self.left_out}

    def _count(self, program: list[int], kind: str, tensor: int, logical: np.ndarray) -> None:
        x, y, z = program
        number = (x << 42) + (y << 21) + z  # any number that is unique
        last, twice = self._last[tensor][kind], self._twice[tensor][kind]
        known = last[logical]
        twice[logical[(known >= 0) & (known != number)]] = True
        last[logical] = number


def _printable(text: str) -> str:
    """Return the text as a map may hold it: of limited length, without control characters."""
    text = text.strip().expandtabs(4)[:MAX_NAME]
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _arrays(tensor: torch.Tensor, value: int, dtype: Any) -> dict[str, np.ndarray]:
    return {kind: np.full(tensor.numel(), value, dtype) for kind in KINDS}


def _logical(index: np.ndarray, tensor: torch.Tensor) -> tuple[np.ndarray, int]:
    """Convert distances from the tensor's first element to row-major numbers.

    Also return how many distances have no element (the gaps of a view).
    """
    if tensor.is_contiguous():
        return index, 0
    rest, number = index, np.zeros_like(index)
    fits = np.ones(index.size, bool)
    weight = [int(np.prod(tensor.shape[dim + 1 :])) for dim in range(tensor.dim())]
    strides = tensor.stride()
    for dim in sorted(range(tensor.dim()), key=lambda d: -strides[d]):
        stride = strides[dim]
        if stride == 0 or tensor.shape[dim] == 1:
            continue
        at, rest = np.divmod(rest, stride)
        fits &= at < tensor.shape[dim]
        number = number + at * weight[dim]
    fits &= rest == 0
    return number[fits], int(index.size - fits.sum())


def _blocks(index: np.ndarray) -> tuple[list[Block], bool]:
    """Return a rising sequence of elements as at most `MAX_BLOCKS` blocks, and True if some are cut."""
    if not index.size:
        return [], False
    breaks = np.flatnonzero(np.diff(index) != 1) + 1
    starts = index[np.concatenate(([0], breaks))]
    lengths = np.diff(np.concatenate(([0], breaks, [index.size])))
    blocks = join_runs(zip(starts.tolist(), lengths.tolist(), strict=True))
    return blocks[:MAX_BLOCKS], len(blocks) > MAX_BLOCKS
