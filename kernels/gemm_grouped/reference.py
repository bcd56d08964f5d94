import torch

from tutor.judge.near_misses import PRODUCT
from tutor.judge.spec import Case, Waves, Work

NEAR_MISSES = PRODUCT
CONTIGUOUS = True
ACCUMULATORS = "float32"
# Of 14 x 14 tiles: row by row the waves fetch 0.88 times the matrices, in groups of 4 rows 0.49
# times, of 2 or 8 rows 0.60 and 0.55. The last group has 2 rows.
# Of 11 x 13 tiles: 0.81 row by row; 0.49 in groups of 4 rows, the last of 3, and 0.55 of 8.
# Of 10 to 13 by 10 to 13: 0.66 or more row by row; 0.53 at most in groups of 4 rows, 0.58 of 8.
LIMITED = ("eleven by thirteen tiles", "twelve by twelve tiles", "drawn, 1", "drawn, 2")
DEEP = "twelve by twelve tiles, K of 64"  # row by row 1.31 times
MOST_FETCHED = Waves(programs=16, most=0.6, others=dict.fromkeys(LIMITED, 0.6) | {DEEP: 1.05})
LEAST_PROGRAMS = 196
MOST_LAUNCHES = 1  # the order of the programs makes the blocks of tiles, not a launch for each


def reference(a, b):
    return a @ b


def eager(a, b):
    # On a GPU cuBLAS, which adds float16 products in float32. What a CPU adds in depends on its kind.
    return a @ b if a.is_cuda else (a.float() @ b.float()).half()


def work(a, b):
    (m, k), n = a.shape, b.shape[1]
    moved = (m * k + k * n + m * n) * a.element_size()
    return Work(bytes=moved, flops=2 * m * n * k, units="fp16")


def scale(a, b):
    # One rounding to float16 at the end, of the result itself; the sum in float32 adds errors that
    # grow with the terms' magnitudes, but are 2**13 times as small.
    return (a @ b).abs() + (a.abs() @ b.abs()) * 2.0**-10


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device).half()


def sizes(m, k, n):
    return lambda g: (normal(g, m, k), normal(g, k, n))


def drawn(g):
    """10 to 13 rows and columns of tiles: which ones is told to nobody before."""
    rows, columns = torch.randint(10, 14, (2,), generator=g, device=g.device).tolist()
    return sizes(32 * rows, 32, 32 * columns)(g)


CASES = (
    Case("one tile", sizes(32, 32, 32)),
    Case("one row of tiles", sizes(32, 32, 160)),
    Case("one column of tiles", sizes(160, 32, 32)),
    Case("three rows of two tiles", sizes(96, 32, 64)),
    Case("five rows of three tiles", sizes(160, 32, 96)),
    Case("three rows of five tiles", sizes(96, 64, 160)),
    Case("long K", sizes(32, 320, 64)),
    Case("times 100", lambda g: (100 * normal(g, 64, 32), normal(g, 32, 64))),
    Case("a nothing but zeros", lambda g: (0 * normal(g, 32, 32), normal(g, 32, 64))),
    Case("eleven by thirteen tiles", sizes(352, 32, 416)),
    Case("twelve by twelve tiles", sizes(384, 32, 384)),
    Case(DEEP, sizes(384, 64, 384)),
    Case("drawn, 1", drawn),
    Case("drawn, 2", drawn),
    Case("fourteen by fourteen tiles", sizes(448, 32, 448)),
)
TIMING = Case("4096 by 4096 by 4096", sizes(4096, 4096, 4096))
