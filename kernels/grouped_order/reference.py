import torch

from tutor.judge.near_misses import PRODUCT
from tutor.judge.spec import Case, Waves, Work

NEAR_MISSES = PRODUCT
CONTIGUOUS = True
ACCUMULATORS = "float32"
# Row by row the waves fetch 1.5 times the matrices, in squares of tiles 0.9, in 8 rows of 2 tiles 0.7.
# Of 17 x 7 tiles, K = 32: 0.87 row by row, 0.64 in squares; 0.53 in groups of 8 rows, the last of 1.
MOST_FETCHED = Waves(programs=16, most=0.8, others={"17 by 7 tiles": 0.57})
LEAST_PROGRAMS = 128
MOST_LAUNCHES = 1  # the order of the programs makes the groups, not a launch for each


def reference(a, b):
    return a @ b


def eager(a, b):
    return a @ b


def work(a, b):
    (m, k), n = a.shape, b.shape[1]
    moved = (m * k + k * n + m * n) * a.element_size()
    return Work(bytes=moved, flops=2 * m * n * k, units="fp16")


def scale(a, b):
    # The result is rounded to 11 bits; before that only the float32 sum rounds.
    return (a @ b).abs() + 2.0**-13 * (a.abs() @ b.abs())


def numbers(g, *shape, shift=0.0, factor=1.0):
    drawn = shift + factor * torch.randn(shape, generator=g, device=g.device)
    return drawn.to(torch.float16)


def tiles(m, k, n, **law):
    """M is counted in tiles of 16, K in steps of 32, N in tiles of 64."""
    m, k, n = 16 * m, 32 * k, 64 * n
    return lambda g: (numbers(g, m, k, **law), numbers(g, k, n, **law))


CASES = (
    Case("one tile", tiles(1, 1, 1)),
    Case("one row of tiles", tiles(1, 1, 5)),
    Case("one column of tiles", tiles(7, 1, 1)),
    Case("8 by 2 tiles", tiles(8, 1, 2)),
    Case("3 by 5 tiles", tiles(3, 1, 5)),
    Case("9 by 3 tiles", tiles(9, 1, 3)),
    Case("13 by 2 tiles", tiles(13, 2, 2)),
    Case("2 by 6 tiles", tiles(2, 2, 6)),
    Case("times 20", tiles(3, 1, 2, factor=20.0)),
    Case("all near 5", tiles(2, 1, 2, shift=5.0)),
    Case("a nothing but zeros", lambda g: (0 * numbers(g, 48, 32), numbers(g, 32, 64))),
    Case("17 by 7 tiles", tiles(17, 1, 7)),
    Case("16 by 8 tiles, K = 64", tiles(16, 2, 8)),
)
TIMING = Case("2048 by 2048 by 2048", tiles(128, 64, 32))
