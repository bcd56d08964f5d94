import torch

from tutor.judge.near_misses import PRODUCT
from tutor.judge.spec import Case, Work

NEAR_MISSES = PRODUCT
CONTIGUOUS = True
MOST_TRAFFIC = 1.2  # a result in float32 that PyTorch rounds has twice the bytes
ACCUMULATORS = "float32"
MATRIX_UNITS = "fp16"
WIDEST_BLOCK = 16_384  # a tile of 128 by 128: K of any length does not fit in one


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


def cancelling(g):
    # The first 64 terms of each sum come to about 16,000 and the last 64 take them away again.
    # Between them a sum in float16 moves in steps of 8 or 16.
    a, b = 16 + normal(g, 40, 64), 16 + normal(g, 64, 35)
    return torch.cat([a, normal(g, 40, 64), -a], 1), torch.cat([b, normal(g, 64, 35), b], 0)


CASES = (
    Case("one element", sizes(1, 1, 1)),
    Case("two by three by two", sizes(2, 3, 2)),
    Case("a row times a column", sizes(1, 75, 1)),
    Case("a column times a row", sizes(67, 1, 29)),
    Case("exactly one tile", sizes(64, 32, 64)),
    Case("one past the tile", sizes(65, 33, 65)),
    Case("primes", sizes(67, 131, 71)),
    Case("wide, short K", sizes(19, 23, 200)),
    Case("K of 1100", sizes(33, 1100, 35)),
    Case("sixteen tiles", sizes(256, 64, 256)),
    Case("a transposed", lambda g: (normal(g, 45, 70).T, normal(g, 45, 40))),
    Case("b transposed", lambda g: (normal(g, 39, 45), normal(g, 50, 45).T)),
    Case("times 100", lambda g: (100 * normal(g, 40, 50), normal(g, 50, 35))),
    Case("all near 5", lambda g: (5 + normal(g, 40, 500), 5 + normal(g, 500, 35))),
    Case("large terms that cancel", cancelling),
    Case("a nothing but zeros", lambda g: (0 * normal(g, 20, 40), normal(g, 40, 30))),
)
TIMING = Case("4096 by 4096 by 4096", sizes(4096, 4096, 4096))
