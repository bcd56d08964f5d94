import torch

from tutor.judge.spec import Case, Work

COPIES = False  # a padded copy needs no mask
WIDEST_BLOCK = 4096  # a vector of any length does not fit in one block
MOST_ACCESSES = 1.0  # of 10,007 elements: a lane past the end that touches the last one is one too many


def reference(a, b):
    return (a + b) * (a + b)


def eager(a, b):
    return (a + b) * (a + b)


def work(a, b):
    return Work(bytes=3 * a.numel() * a.element_size(), flops=2 * a.numel())


def scale(a, b):
    # Two roundings, both of numbers of this size. NaN and infinity are compared exactly and scale
    # nothing.
    return torch.nan_to_num((a + b) * (a + b), nan=0.0, posinf=0.0, neginf=0.0)


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def pair(n, shift=0.0, factor=1.0):
    return lambda g: (shift + factor * normal(g, n), shift + factor * normal(g, n))


def with_nan_and_infinities(g):
    a, b = normal(g, 600), normal(g, 600)
    a[0], b[255], a[256], b[599] = float("nan"), float("inf"), float("-inf"), float("nan")
    a[300], b[300] = float("inf"), float("-inf")  # their sum is NaN
    a[255], b[256] = -1.0, 1.0  # the square is infinite; a * a + 2 * a * b + b * b is NaN
    return a, b


NEAR_MISSES = (
    ("the sum is not squared", lambda a, b: a + b),
    ("each number is squared, and then they are added", lambda a, b: a * a + b * b),
    ("`b` alone is squared", lambda a, b: a + b * b),
    ("`a` alone is squared", lambda a, b: a * a + b),
    ("the difference is squared", lambda a, b: (a - b) * (a - b)),
    ("the sum is doubled, and not squared", lambda a, b: 2 * (a + b)),
    ("the two are multiplied", lambda a, b: a * b),
)


CASES = (
    Case("one element", pair(1)),
    Case("two elements", pair(2)),
    Case("one short of the block", pair(255)),
    Case("exactly one block", pair(256)),
    Case("one past the block", pair(257)),
    Case("1000 elements", pair(1000)),
    Case("many blocks and a tail", pair(10_007)),
    Case("nothing but zeros", lambda g: (0 * normal(g, 50), 0 * normal(g, 50))),
    Case("nothing but negative numbers", pair(700, -100.0)),
    Case("times 10,000", pair(900, 0.0, 1e4)),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("16 Mi elements", pair(1 << 24))
