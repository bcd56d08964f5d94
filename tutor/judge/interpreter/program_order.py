"""The order in which the interpreter runs the programs of a launch, and which one runs now.

A GPU promises no order. A result that is right only if program 0 runs first, or the last one last, must
come out wrong here.

Private names of Triton: `interpreter_builder.grid_idx` and `grid_dim`.
"""

import numpy as np
import triton.runtime.interpreter as private

from tutor.judge.model.launch_options import BACKWARDS

_MAX_SHUFFLED = 1 << 20  # programs; a larger grid runs backwards, which needs no memory


class ProgramOrder:
    """Map each program that the interpreter is about to run to the one that shall run.

    `order` is None (as they come), `BACKWARDS`, or the seed of a random order.
    """

    def __init__(self) -> None:
        self.order: int | None = None
        self._shuffled = np.empty(0, np.int64)  # of the running launch

    def next(self, x: int, y: int, z: int) -> tuple[int, int, int]:
        if self.order is None:
            return x, y, z
        nx, ny, nz = grid()
        count = nx * ny * nz
        if self.order == BACKWARDS or count > _MAX_SHUFFLED:
            return nx - 1 - x, ny - 1 - y, nz - 1 - z
        if x == y == z == 0:
            self._shuffled = shuffle(count, self.order)
        number = int(self._shuffled[(x * ny + y) * nz + z])
        return number // (ny * nz), number // nz % ny, number % nz


def shuffle(count: int, seed: int) -> np.ndarray:
    """Return the numbers below `count` in an order that depends on the seed.

    0 is never the first of several, so at least two programs change places.
    """
    order = np.random.default_rng(seed).permutation(count)
    return order[::-1] if order[0] == 0 else order


def program() -> list[int]:
    """Return the indices of the running program."""
    return [int(i) for i in private.interpreter_builder.grid_idx]


def program_number() -> int:
    """Return the running program's number in its grid, counted along the first axis first, as a GPU
    starts them."""
    x, y, z = private.interpreter_builder.grid_idx
    nx, ny, _ = private.interpreter_builder.grid_dim
    return int((z * ny + y) * nx + x)


def grid() -> list[int]:
    """Return the number of programs along each axis of the launch that runs now."""
    return [int(n) for n in private.interpreter_builder.grid_dim]


def clear_grid() -> None:
    """Forget the grid of the launch before."""
    private.interpreter_builder.set_grid_dim(0, 0, 0)
