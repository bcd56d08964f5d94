import torch

from tutor.judge.near_misses import PRODUCT
from tutor.judge.spec import Case, Work

NEAR_MISSES = PRODUCT
CONTIGUOUS = True
ACCUMULATORS = "float32"
STRICT_PRODUCTS = True  # the compiler makes a dot in TF32 of `tl.sum` over `a * b`
LEAST_PROGRAMS = 5  # of the five rows with the long K


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
    a, b = normal(g, 6, 9), normal(g, 9, 5)
    a[int(torch.randint(0, 6, (1,), generator=g, device=g.device)), 3] = 1e5
    return a, b


CASES = (
    Case("one element", sizes(1, 1, 1)),
    Case("two by three by four", sizes(2, 3, 4)),
    Case("a row times a column", sizes(1, 75, 1)),
    Case("a column times a row", sizes(7, 1, 9)),
    Case("K exactly one block", sizes(3, 64, 5)),
    Case("K one past the block", sizes(3, 65, 5)),
    Case("K one short of two blocks", sizes(4, 127, 3)),
    Case("long K", sizes(5, 2500, 2)),
    Case("a long row", sizes(1, 5, 520)),
    Case("more rows than columns", sizes(11, 20, 4)),
    Case("more columns than rows", sizes(4, 20, 11)),
    Case("a transposed", lambda g: (normal(g, 30, 4).T, normal(g, 30, 5))),
    Case("b transposed", lambda g: (normal(g, 4, 30), normal(g, 5, 30).T)),
    Case("times 1000", lambda g: (1e3 * normal(g, 4, 40), normal(g, 40, 5))),
    Case("all near 5", lambda g: (5 + normal(g, 4, 40), 5 + normal(g, 40, 5))),
    Case("a nothing but zeros", lambda g: (0 * normal(g, 5, 9), normal(g, 9, 5))),
    Case("one spike", one_spike),
)
TIMING = Case("512 by 512 by 512", sizes(512, 512, 512))
