import torch

from tutor.judge.spec import Case, Work

ACCUMULATORS = "float32"
MOST_ACCESSES = 1.1  # each row is loaded in one step, not in all those after it


def reference(x):
    return torch.cumsum(x, 0)


def eager(x):
    return torch.cumsum(x, 0)


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=x.numel())


def scale(x):
    # Rounding errors of a sum grow with the sum of magnitudes so far (Higham 1993), however small
    # the total itself is. NaN and infinity are compared exactly and scale nothing.
    return torch.cumsum(torch.nan_to_num(x, nan=0.0, posinf=0.0, neginf=0.0).abs(), 0)


NEAR_MISSES = (
    ("the totals run along the rows, and not down the columns", lambda x: x.cumsum(1)),
    ("the row itself is not in its total", lambda x: x.cumsum(0) - x),
    ("nothing is carried from one row to the next", lambda x: x * 1.0),
    ("only the row before is added", lambda x: x + torch.cat((0 * x[:1], x[:-1]))),
    ("the first row counts twice", lambda x: x.cumsum(0) + x[:1]),
    ("the totals begin at the last row", lambda x: x.flip(0).cumsum(0).flip(0)),
    ("each row holds the total of the whole column", lambda x: x.sum(0).expand_as(x)),
    ("each row is multiplied, and not added", lambda x: x.cumprod(0)),
    ("the total is divided by the number of rows so far", lambda x: (
        x.cumsum(0) / torch.arange(1, len(x) + 1, device=x.device)[:, None])),
)  # fmt: skip


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def matrix(rows, columns, shift=0.0, factor=1.0):
    return lambda g: (shift + factor * normal(g, rows, columns),)


def totals_that_return_to_zero(g):
    half = 100 * normal(g, 20, 40)
    return (torch.cat((half, -half.flip(0))),)


def with_nan_and_infinities(g):
    x = normal(g, 70, 300)
    x[3, 0], x[0, 150], x[69, 299] = float("nan"), float("inf"), float("-inf")
    x[2, 280], x[7, 280] = float("inf"), float("-inf")  # their sum is NaN
    return (x,)


CASES = (
    Case("one element", matrix(1, 1)),
    Case("one row", matrix(1, 300)),
    Case("one column", matrix(40, 1)),
    Case("two rows", matrix(2, 7)),
    Case("one short of the block", matrix(5, 255)),
    Case("exactly one block", matrix(5, 256)),
    Case("one past the block", matrix(5, 257)),
    Case("several blocks and a tail", matrix(5, 7001)),
    Case("140 rows", matrix(140, 3)),
    Case("nothing but ones", lambda g: (torch.ones(60, 33, device=g.device),)),
    Case("nothing but zeros", lambda g: (torch.zeros(4, 33, device=g.device),)),
    Case("nothing but negative numbers", lambda g: (-1 - normal(g, 30, 40).abs(),)),
    Case("times 10,000", matrix(25, 31, 0.0, 1e4)),
    Case("all near 5", matrix(100, 40, 5.0)),
    Case("totals that return to zero", totals_that_return_to_zero),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("1024 rows of 16 Ki", matrix(1024, 1 << 14))
