"""The outline of a launch: its grid, the tiles of its loads and stores, and in which order programs and
lanes go over the elements. Twists are judged by it (`judge/twists`)."""

from typing import Any

import numpy as np

MAX_TILES = 16
_MAX_PROGRAMS = 64  # whose loads are compared


class SketchRecorder:
    """Notes the accesses of one launch, program by program."""

    def __init__(self, kernel: str, line: int | None) -> None:
        self._kernel, self._line = kernel, line
        self._tiles: dict[tuple[str, tuple[int, ...]], int | None] = {}
        self._steps = 0
        self._backwards: set[str] = set()
        self._turned: set[str] = set()
        self._program = -1
        # Of the running program: how often each tensor is accessed, and its first element then.
        self._count: dict[tuple[str, str], int] = {}
        self._first: dict[tuple[str, str], int] = {}
        # The first elements of the first and of the last load of a tensor by each program.
        self._loaded: dict[tuple[str, int], tuple[int, int]] = {}
        # The program and the first element of the first store of each tensor by the first and the last
        # program of those that store to it.
        self._stored: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {}

    def note(
        self,
        program: int,
        kind: str,
        tensor: str,
        shape: tuple[int, ...],
        index: np.ndarray,
        line: int | None,
    ) -> None:
        """Note an access of a program to these elements of a tensor, one a lane."""
        first, last = int(index[0]), int(index[-1])
        if len(self._tiles) < MAX_TILES:
            self._tiles.setdefault((kind, shape), line)
        if first > last:
            self._backwards.add("lanes")
        if kind not in self._turned and _is_turned(shape, index):
            self._turned.add(kind)
        if program != self._program:
            self._program = program
            self._count, self._first = {}, {}
        key = (kind, tensor)
        times = self._count[key] = self._count.get(key, 0) + 1
        if times == 1:
            self._first[key] = first
            if kind == "store":
                self._note_store(tensor, (program, first))
        elif first < self._first[key]:
            self._backwards.add(f"{kind}s")
        if kind == "load":
            self._steps = max(self._steps, times)
            if program < _MAX_PROGRAMS:
                begin, _ = self._loaded.get((tensor, program), (first, first))
                self._loaded[tensor, program] = begin, first

    def _note_store(self, tensor: str, place: tuple[int, int]) -> None:
        least, most = self._stored.get(tensor, (place, place))
        self._stored[tensor] = min(least, place), max(most, place)

    def _interleaves(self) -> bool:
        """Return True if a program goes on behind where a later one begins."""
        farthest: dict[str, int] = {}
        for (tensor, _), (begin, end) in sorted(self._loaded.items()):
            if farthest.get(tensor, begin) > begin:
                return True
            farthest[tensor] = max(end, farthest.get(tensor, end))
        return False

    def close(self, grid: list[int]) -> dict[str, Any]:
        """Return the outline as `LaunchSketch` has it."""
        for (_, first), (_, last) in self._stored.values():
            if first > last:
                self._backwards.add("programs")
        return {
            "kernel": self._kernel[:1000],
            "line": self._line,
            "grid": grid,
            "tiles": [
                {"kind": kind, "shape": list(shape), "line": line}
                for (kind, shape), line in self._tiles.items()
            ],
            "steps": self._steps,
            "backwards": sorted(self._backwards),
            "interleaved": self._interleaves(),
            "turned": sorted(self._turned),
        }


def _is_turned(shape: tuple[int, ...], index: np.ndarray) -> bool:
    """Return True for a tile whose rows begin nearer to each other than its columns: in the order of
    the lanes, a row goes back behind the last element of the one before, and yet the tile goes up."""
    tall = sum(size > 1 for size in shape) > 1
    return tall and bool(index[0] < index[-1]) and bool((np.diff(index) < 0).any())
