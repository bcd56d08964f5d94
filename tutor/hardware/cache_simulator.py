"""A cache that counts what misses, and matrices whose every access goes through it.

Day 19 and its exercises count with it what an order of loops costs. No clock is involved, so the numbers
are the same on every machine.
"""

from collections.abc import Iterable

ELEMENT = 8  # bytes of a number: float64

Place = tuple[int, int]


class Cache:
    """Lines of `line` bytes in sets of `ways`; the line that was used longest ago makes room.

    Without `ways` it is fully associative: a line may stand anywhere. Sizes are bytes. With `watch` it
    remembers when each line came and went (`stays`).
    """

    def __init__(
        self, size: int = 2048, line: int = 64, ways: int | None = None, watch: bool = False
    ) -> None:
        lines = size // line
        self.line, self.ways = line, ways or lines
        if lines % self.ways:
            raise ValueError(f"{lines} lines cannot be divided into sets of {ways}")
        # A dictionary keeps its keys in the order in which they came: the first is the oldest.
        self.sets: list[dict[int, None]] = [{} for _ in range(lines // self.ways)]
        self.accesses = self.misses = 0
        self._came: dict[int, int] | None = {} if watch else None  # line -> access
        self._gone: list[tuple[int, int, int]] = []  # line, came, went

    @property
    def stays(self) -> dict[int, list[tuple[int, int]]]:
        """The stays of each line in the cache, from the access that missed it to the one that took its
        place, or to the last one."""
        there = ((number, came, self.accesses) for number, came in (self._came or {}).items())
        by_line: dict[int, list[tuple[int, int]]] = {}
        for number, came, went in sorted((*self._gone, *there)):
            by_line.setdefault(number, []).append((came, went))
        return by_line

    def touch(self, address: int) -> bool:
        """Load or store at a byte address; tell whether its line was missing."""
        number = address // self.line
        held = self.sets[number % len(self.sets)]
        missing = number not in held
        if missing:
            self.misses += 1
            if len(held) == self.ways:
                oldest = next(iter(held))
                del held[oldest]
                if self._came is not None:
                    self._gone.append((oldest, self._came.pop(oldest), self.accesses))
            if self._came is not None:
                self._came[number] = self.accesses
        else:
            del held[number]
        held[number] = None
        self.accesses += 1
        return missing


class Matrix:
    """A matrix [rows, columns] of floats, stored row by row; `m[i, j]` reads and writes one number.

    `pitch` is the distance of two rows in numbers. `accesses` counts the reads and writes of this
    matrix, `misses` its missing lines.
    """

    def __init__(self, cache: Cache, shape: Place, base: int = 0, pitch: int = 0) -> None:
        self.cache, self.shape, self.base = cache, shape, base
        self.pitch = pitch or shape[1]
        self.numbers = [0.0] * (shape[0] * self.pitch)
        self.accesses = self.misses = 0

    def _place(self, index: Place) -> int:
        if type(index) is not tuple or len(index) != 2 or any(type(x) is not int for x in index):
            raise TypeError(
                f"a counted matrix takes two whole numbers, m[i, j]; got {index!r}"[:200]
            )
        i, j = index
        if not (0 <= i < self.shape[0] and 0 <= j < self.shape[1]):
            raise IndexError(
                f"[{i}, {j}] lies outside a matrix of {self.shape[0]} by {self.shape[1]}"
            )
        place = i * self.pitch + j
        self.accesses += 1
        self.misses += self.cache.touch(self.base + place * ELEMENT)
        return place

    def __getitem__(self, index: Place) -> float:
        return self.numbers[self._place(index)]

    def __setitem__(self, index: Place, number: float) -> None:
        self.numbers[self._place(index)] = number


def matrices(cache: Cache, shapes: Iterable[Place], padding: int = 0) -> list[Matrix]:
    """Lay matrices one after another in memory, each from the start of a line.

    `padding` numbers follow each row and are never used.
    """
    base, made = 0, []
    for rows, columns in shapes:
        pitch = columns + padding
        made.append(Matrix(cache, (rows, columns), base, pitch))
        base += -(-rows * pitch * ELEMENT // cache.line) * cache.line
    return made
