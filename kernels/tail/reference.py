import torch

from tutor.judge.spec import Case, Work

COPIES = False  # a padded copy needs no mask
MOST_ACCESSES = 1.00015  # 9 lanes have no element: they may load another one, and not store it


def reference(x):
    return x + 10


def eager(x):
    return x + 10


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=x.numel())


def scale(x):
    # One rounding, of the sum. NaN and infinity are compared exactly and scale nothing.
    return torch.nan_to_num(x + 10, nan=0.0, posinf=0.0, neginf=0.0).abs()


NEAR_MISSES = (
    ("10 is subtracted", lambda x: x - 10),
    ("10 multiplies", lambda x: x * 10),
    ("nothing is added", lambda x: x * 1.0),
    ("10 is added twice", lambda x: x + 20),
    ("1 is added, and not 10", lambda x: x + 1),
    ("the number of the element is added, and not 10", lambda x: x + torch.arange(len(x))),
    ("`x` is subtracted from 10", lambda x: 10 - x),
)


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def vector(n, shift=0.0, factor=1.0):
    return lambda g: (shift + factor * normal(g, n),)


def with_nan_and_infinities(g):
    x = normal(g, 1500)
    x[0], x[700], x[1024], x[1499] = float("nan"), float("inf"), float("-inf"), float("nan")
    return (x,)


CASES = (
    Case("one element", vector(1)),
    Case("two elements", vector(2)),
    Case("three elements", vector(3)),
    Case("one short of the block", vector(1023)),
    Case("exactly one block", vector(1024)),
    Case("one past the block", vector(1025)),
    Case("two blocks and a half", vector(2560)),
    Case("many blocks and a tail", vector(40_951)),
    Case("nothing but zeros", lambda g: (torch.zeros(50, device=g.device),)),
    Case("nothing but negative numbers", lambda g: (-100 - normal(g, 1300).abs(),)),
    Case("times 10,000", vector(1500, 0.0, 1e4)),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("16 Mi elements", vector(1 << 24))
