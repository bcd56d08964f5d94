import torch

from tutor.judge.near_misses import PRODUCT
from tutor.judge.spec import Case, Work

NEAR_MISSES = PRODUCT
CONTIGUOUS = True
WIDEST_BLOCK = 2048  # a tile of 64 by 32
DOT = True
STRICT_PRODUCTS = True  # the compiler makes a dot in TF32 of `tl.sum` over `a * b`
MOST_ACCESSES = 3.5


def reference(a, b):
    return a @ b


def eager(a, b):
    return a @ b


def work(a, b):
    (m, k), n = a.shape, b.shape[1]
    moved = (m * k + k * n + m * n) * a.element_size()
    return Work(bytes=moved, flops=2 * m * n * k, units="tf32x3")


def scale(a, b):
    # The error of a dot product grows with the sum of its terms' magnitudes (Higham, Accuracy and
    # Stability of Numerical Algorithms, 2nd ed., 3.1), which may be far above the result.
    return a.abs() @ b.abs()


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def sizes(m, k, n):
    return lambda g: (normal(g, m, k), normal(g, k, n))


def one_spike(g):
    a, b = normal(g, 32, 32), normal(g, 32, 32)
    a[int(torch.randint(0, 32, (1,), generator=g, device=g.device)), 3] = 1e5
    return a, b


CASES = (
    Case("one tile", sizes(32, 32, 32)),
    Case("two tiles along K", sizes(32, 64, 32)),
    Case("ten tiles along K", sizes(32, 320, 32)),
    Case("two tiles down", sizes(64, 32, 32)),
    Case("two tiles across", sizes(32, 32, 64)),
    Case("64 by 96 by 128", sizes(64, 96, 128)),
    Case("128 by 64 by 96", sizes(128, 64, 96)),
    Case("square, 128", sizes(128, 128, 128)),
    Case("times 1000", lambda g: (1e3 * normal(g, 64, 32), normal(g, 32, 64))),
    Case("all near 5", lambda g: (5 + normal(g, 32, 64), 5 + normal(g, 64, 32))),
    Case("a nothing but zeros", lambda g: (0 * normal(g, 32, 32), normal(g, 32, 64))),
    Case("one spike", one_spike),
)
TIMING = Case("2048 by 2048 by 2048", sizes(2048, 2048, 2048))
