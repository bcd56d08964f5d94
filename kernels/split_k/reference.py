import torch

from tutor.judge.near_misses import PRODUCT
from tutor.judge.spec import Case, Work

NEAR_MISSES = PRODUCT
CONTIGUOUS = True
ACCUMULATORS = "float32"
MOST_ACCESSES = 2.0  # of 7 x 4097 x 9: parts of K need 1.1, one element a program 7.5
LEAST_PROGRAMS = 32
DEEP = 4_097


def reference(a, b):
    return a @ b


def eager(a, b):
    return a.float() @ b.float()


def work(a, b):
    (m, k), n = a.shape, b.shape[1]
    moved = (m * k + k * n) * a.element_size() + m * n * 4
    return Work(bytes=moved, flops=2 * m * n * k, units="fp16")


def scale(a, b):
    # The error of a dot product grows with the sum of its terms' magnitudes (Higham, Accuracy and
    # Stability of Numerical Algorithms, 2nd ed., 3.1), which may be far above the result.
    return a.abs() @ b.abs()


def numbers(g, *shape, shift=0.0, factor=1.0):
    drawn = shift + factor * torch.randn(shape, generator=g, device=g.device)
    return drawn.to(torch.float16)


def sizes(m, k, n, **law):
    return lambda g: (numbers(g, m, k, **law), numbers(g, k, n, **law))


CASES = (
    Case("one element", sizes(1, 1, 1)),
    Case("two by three by four", sizes(2, 3, 4)),
    Case("K one short of 64", sizes(5, 63, 7)),
    Case("K one past 64", sizes(5, 65, 7)),
    Case("K one short of 128", sizes(16, 127, 16)),
    Case("K exactly 128", sizes(16, 128, 16)),
    Case("K one past 128", sizes(16, 129, 16)),
    Case("K exactly 512", sizes(3, 512, 32)),
    Case("32 by 500 by 32", sizes(32, 500, 32)),
    Case("a row times a column", sizes(1, 1000, 1)),
    Case("times 20", sizes(9, 300, 5, factor=20.0)),
    Case("all near 5", sizes(9, 300, 5, shift=5.0)),
    Case("a nothing but zeros", lambda g: (0 * numbers(g, 9, 300), numbers(g, 300, 5))),
    Case("K = 4097", sizes(7, DEEP, 9)),
)
TIMING = Case("32 by 262,144 by 32", sizes(32, 1 << 18, 32))
