import torch

from tutor.judge.near_misses import of_loop
from tutor.judge.spec import Case, Work

WIDEST_BLOCK = 4096  # a row need not fit in one block
ACCUMULATORS = "float32"


def reference(x):
    return x.sum(-1)


def eager(x):
    return x.sum(-1)


def work(x):
    return Work(bytes=(x.numel() + x.shape[0]) * x.element_size(), flops=x.numel())


def scale(x):
    # Rounding errors of a sum grow with the sum of magnitudes (Higham 1993), however small the sum
    # itself is. NaN and infinity are compared exactly and scale nothing.
    return torch.nan_to_num(x, nan=0.0, posinf=0.0, neginf=0.0).abs().sum(-1)


NEAR_MISSES = (
    *of_loop(lambda a, b, x: x[:, a:b].sum(-1), lambda x: x.shape[1]),
    ("the largest number of each row is taken, and not the sum", lambda x: x.amax(-1)),
    ("the smallest number of each row is taken, and not the sum", lambda x: x.amin(-1)),
    ("the sum is divided by the number of columns", lambda x: x.mean(-1)),
    ("the absolute values are added", lambda x: x.abs().sum(-1)),
    ("the squares are added", lambda x: x.square().sum(-1)),
    ("the first column counts twice", lambda x: x.sum(-1) + x[:, 0]),
    ("the last column counts twice", lambda x: x.sum(-1) + x[:, -1]),
    ("the last column is left out", lambda x: x[:, :-1].sum(-1)),
    ("the first column is left out", lambda x: x[:, 1:].sum(-1)),
    ("each row is multiplied up, and not added up", lambda x: x.prod(-1)),
)


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def matrix(*shape):
    return lambda g: (normal(g, *shape),)


def one_spike_in_each_row(g):
    x = torch.zeros(6, 1500, device=g.device)
    at = torch.randint(0, 1500, (6, 1), generator=g, device=g.device)
    return (x.scatter_(1, at, 1e4 * (1 + torch.rand(6, 1, generator=g, device=g.device))),)


def rows_that_nearly_cancel(g):
    half = 100 * normal(g, 5, 1000)
    return (torch.cat((half, normal(g, 5, 3), -half), dim=1),)


def with_nan_and_infinities(g):
    x = normal(g, 6, 1300)
    x[1, 0], x[2, 1299], x[3, 5] = float("nan"), float("inf"), float("-inf")
    x[4, 7], x[4, 1100] = float("inf"), float("-inf")  # their sum is NaN
    return (x,)


CASES = (
    Case("one element", matrix(1, 1)),
    Case("one row", matrix(1, 777)),
    Case("one column", matrix(9, 1)),
    Case("two columns", matrix(5, 2)),
    Case("three columns", matrix(4, 3)),
    Case("rows one short of the block", matrix(3, 1023)),
    Case("rows of exactly one block", matrix(3, 1024)),
    Case("rows one past the block", matrix(3, 1025)),
    Case("rows of many blocks and a tail", matrix(2, 40_009)),
    Case("many short rows", matrix(40, 7)),
    Case("transposed view", lambda g: (normal(g, 85, 17).T,)),
    Case("columns of a wider tensor", lambda g: (normal(g, 9, 1400)[:, 100:1250],)),
    Case("every second row, every third column", lambda g: (normal(g, 4, 13_500)[::2, ::3],)),
    Case("nothing but zeros", lambda g: (torch.zeros(3, 200, device=g.device),)),
    Case("times 10,000", lambda g: (1e4 * normal(g, 4, 1500),)),
    Case("all near 5", lambda g: (5 + normal(g, 4, 1500),)),
    Case("nothing but negative numbers", lambda g: (-1 - normal(g, 4, 1100).abs(),)),
    Case("one spike in each row", one_spike_in_each_row),
    Case("rows that nearly cancel", rows_that_nearly_cancel),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("4096 rows of 4096", matrix(4096, 4096))
