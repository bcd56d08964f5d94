import torch

from tutor.judge.near_misses import PRODUCT
from tutor.judge.spec import Case, Work

NEAR_MISSES = (
    *PRODUCT,
    ("the factors are rounded to bfloat16",
     lambda a, b: a.bfloat16().double() @ b.bfloat16().double()),
)  # fmt: skip
CONTIGUOUS = True
COPIES = False  # a padded copy needs no mask
PRECISION = "tf32"
MATRIX_UNITS = "tf32"
WIDEST_BLOCK = 16_384  # a tile of 128 by 128: K of any length does not fit in one


def reference(a, b):
    return a @ b


def eager(a, b):
    return a @ b


def work(a, b):
    (m, k), n = a.shape, b.shape[1]
    moved = (m * k + k * n + m * n) * a.element_size()
    return Work(bytes=moved, flops=2 * m * n * k, units="tf32")


def scale(a, b):
    # The error of a dot product grows with the sum of its terms' magnitudes (Higham, Accuracy and
    # Stability of Numerical Algorithms, 2nd ed., 3.1), which may be far above the result.
    return a.abs() @ b.abs()


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def sizes(m, k, n):
    return lambda g: (normal(g, m, k), normal(g, k, n))


def one_spike(g):
    a, b = normal(g, 35, 50), normal(g, 50, 40)
    a[int(torch.randint(0, 35, (1,), generator=g, device=g.device)), 3] = 1e6
    return a, b


CASES = (
    Case("one element", sizes(1, 1, 1)),
    Case("two by three by two", sizes(2, 3, 2)),
    Case("a row times a column", sizes(1, 75, 1)),
    Case("a column times a row", sizes(67, 1, 29)),
    Case("exactly one tile", sizes(64, 32, 64)),
    Case("one past the tile", sizes(65, 33, 65)),
    Case("one short of two tiles", sizes(127, 63, 127)),
    Case("sixteen tiles", sizes(256, 64, 256)),
    Case("primes", sizes(67, 131, 71)),
    Case("wide, short K", sizes(19, 23, 200)),
    Case("long K", sizes(5, 1100, 9)),
    Case("a transposed", lambda g: (normal(g, 45, 70).T, normal(g, 45, 40))),
    Case("b transposed", lambda g: (normal(g, 39, 45), normal(g, 50, 45).T)),
    Case("times 100,000", lambda g: (1e5 * normal(g, 40, 50), normal(g, 50, 35))),
    Case("all near 5", lambda g: (5 + normal(g, 40, 50), 5 + normal(g, 50, 35))),
    Case("one spike", one_spike),
)
TIMING = Case("4096 by 4096 by 4096", sizes(4096, 4096, 4096))
