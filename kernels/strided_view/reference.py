import torch

from tutor.judge.spec import Case, Work

MOST_TRAFFIC = 1.2


def reference(x):
    return 2 * x


def eager(x):
    return 2 * x


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=x.numel())


def scale(x):
    # Doubling is exact; the bound only has to be no looser than one rounding of each element.
    return torch.nan_to_num(2 * x, nan=0.0, posinf=0.0, neginf=0.0).abs()


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def matrix(*shape):
    return lambda g: (normal(g, *shape),)


def with_nan_and_infinities(g):
    x = normal(g, 30, 20)
    x[0, 0], x[7, 3], x[29, 19] = float("nan"), float("inf"), float("-inf")
    return (x.T,)


NEAR_MISSES = (
    ("each number is copied, and not doubled", lambda x: x),
    ("each number is squared", lambda x: x * x),
    ("2 is added to each number", lambda x: x + 2),
    ("each number is doubled twice", lambda x: 4 * x),
    ("each row is that of the first program", lambda x: 2 * x[:1].expand_as(x)),
    ("each row holds its first number everywhere", lambda x: 2 * x[:, :1].expand_as(x)),
)


CASES = (
    Case("one element", matrix(1, 1)),
    Case("one column", matrix(9, 1)),
    Case("two columns", matrix(5, 2)),
    Case("one short of a power of two", matrix(3, 255)),
    Case("a power of two", matrix(3, 256)),
    Case("one past a power of two", matrix(3, 257)),
    Case("the widest row", matrix(2, 1024)),
    Case("transposed", lambda g: (normal(g, 65, 33).T,)),
    Case("a square, transposed", lambda g: (normal(g, 32, 32).T,)),
    # The most elements of all: what lies between them in memory is as much again, and not asked for.
    Case("columns of a wider tensor", lambda g: (normal(g, 60, 90)[:, 7:50],)),
    Case("every second row", lambda g: (normal(g, 30, 17)[::2],)),
    Case("every third column", lambda g: (normal(g, 12, 60)[:, ::3],)),
    Case("one row, repeated", lambda g: (normal(g, 1, 50).expand(8, 50),)),
    Case("nothing but zeros", lambda g: (torch.zeros(4, 30, device=g.device),)),
    Case("times 10,000", lambda g: (1e4 * normal(g, 20, 31).T,)),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("16 Ki rows of 1024, transposed", lambda g: (normal(g, 1024, 1 << 14).T,))
