import torch

from tutor.judge.near_misses import PRODUCT
from tutor.judge.spec import Case, Work

NEAR_MISSES = PRODUCT
CONTIGUOUS = True
ACCUMULATORS = "float32"
STRICT_PRODUCTS = True
WIDEST_BLOCK = 16_384  # a tile of 128 by 128: K of any length does not fit in one
MOST_ACCESSES = 14.0  # of 67 x 131 x 71: tiles of 16 x 16 need 4.2, one element a program 55


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
    a, b = normal(g, 35, 50), normal(g, 50, 40)
    i, k = torch.randint(0, 35, (2,), generator=g, device=g.device).tolist()
    a[i, k] = 1e6
    return a, b


CASES = (
    Case("one element", sizes(1, 1, 1)),
    Case("two by three by two", sizes(2, 3, 2)),
    Case("a row times a column", sizes(1, 75, 1)),
    Case("a column times a row", sizes(37, 1, 29)),
    Case("one short of 32", sizes(31, 31, 31)),
    Case("exactly 32", sizes(32, 32, 32)),
    Case("one past 32", sizes(33, 33, 33)),
    Case("exactly 64", sizes(64, 64, 64)),
    Case("one past 64", sizes(65, 65, 65)),
    Case("primes", sizes(67, 131, 71)),
    Case("wide, short K", sizes(19, 23, 300)),
    Case("long K", sizes(5, 1100, 9)),
    Case("a transposed", lambda g: (normal(g, 45, 70).T, normal(g, 45, 40))),
    Case("b transposed", lambda g: (normal(g, 39, 45), normal(g, 50, 45).T)),
    Case(
        "windows of larger matrices",
        lambda g: (normal(g, 50, 90)[3:40, 7:60], normal(g, 80, 64)[20:73, 5:50]),
    ),
    Case(
        "every second row, every third column",
        lambda g: (normal(g, 80, 120)[::2, ::3], normal(g, 80, 120)[::2, ::3]),
    ),
    Case(
        "a nothing but zeros", lambda g: (torch.zeros(20, 40, device=g.device), normal(g, 40, 30))
    ),
    Case("times 10,000", lambda g: (1e4 * normal(g, 40, 50), 1e4 * normal(g, 50, 35))),
    Case("all near 5", lambda g: (5 + normal(g, 40, 50), 5 + normal(g, 50, 35))),
    Case("one spike", one_spike),
)
TIMING = Case("2048 by 2048 by 2048", sizes(2048, 2048, 2048))
