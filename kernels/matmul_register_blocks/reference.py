import torch

from tutor.judge.near_misses import PRODUCT
from tutor.judge.spec import Case, Work

NEAR_MISSES = PRODUCT
ACCUMULATORS = "float32"
CONTIGUOUS = True
DOT = False  # tiles along K, summed along an axis, become one
WIDEST_BLOCK = 256  # a piece of one column or row
MOST_ACCESSES = 2.0  # of 64 x 24 x 64: blocks of 32 x 32 need 1.4, of 16 x 16 2.3


def reference(a, b):
    return a @ b


def eager(a, b):
    return a @ b


def work(a, b):
    (m, k), n = a.shape, b.shape[1]
    moved = (m * k + k * n + m * n) * a.element_size()
    return Work(bytes=moved, flops=2 * m * n * k, units="fp32")


def scale(a, b):
    # The error of a dot product grows with the sum of its terms' magnitudes (Higham, Accuracy and
    # Stability of Numerical Algorithms, 2nd ed., 3.1), which may be far above the result.
    return a.abs() @ b.abs()


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def sizes(m, k, n):
    return lambda g: (normal(g, m, k), normal(g, k, n))


def one_spike(g):
    a, b = normal(g, 20, 12), normal(g, 12, 20)
    a[int(torch.randint(0, 20, (1,), generator=g, device=g.device)), 3] = 1e5
    return a, b


CASES = (
    Case("one element", sizes(1, 1, 1)),
    Case("two by three by four", sizes(2, 3, 4)),
    Case("a row times a column", sizes(1, 40, 1)),
    Case("a column times a row", sizes(37, 1, 29)),
    Case("one short of 32", sizes(31, 7, 31)),
    Case("exactly 32", sizes(32, 8, 32)),
    Case("one past 32", sizes(33, 9, 33)),
    Case("64 by 24 times 24 by 64", sizes(64, 24, 64)),
    Case("primes", sizes(37, 11, 71)),
    Case("wide, short K", sizes(19, 3, 200)),
    Case("a transposed", lambda g: (normal(g, 10, 40).T, normal(g, 10, 35))),
    Case("b transposed", lambda g: (normal(g, 40, 10), normal(g, 35, 10).T)),
    Case("times 1000", lambda g: (1e3 * normal(g, 40, 10), normal(g, 10, 35))),
    Case("all near 5", lambda g: (5 + normal(g, 40, 10), 5 + normal(g, 10, 35))),
    Case("one spike", one_spike),
)
TIMING = Case("1024 by 1024 by 1024", sizes(1024, 1024, 1024))
