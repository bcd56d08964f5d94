import torch

from tutor.judge.spec import Case, Work


def _distances(x):
    rows, columns = x.shape
    row = torch.arange(rows, device=x.device, dtype=x.dtype)
    column = torch.arange(columns, device=x.device, dtype=x.dtype)
    return column[None, :] - row[:, None]


def reference(x):
    return x + _distances(x)


def eager(x):
    return x + _distances(x)


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=2 * x.numel())


def scale(x):
    # Adding the column first and taking the row off afterwards rounds twice, at these magnitudes.
    rows, columns = x.shape
    known = torch.nan_to_num(x, nan=0.0, posinf=0.0, neginf=0.0).abs()
    row = torch.arange(rows, device=x.device, dtype=x.dtype)
    column = torch.arange(columns, device=x.device, dtype=x.dtype)
    return known + column[None, :] + row[:, None]


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def matrix(rows, columns, factor=1.0):
    return lambda g: (factor * normal(g, rows, columns),)


def with_nan_and_infinities(g):
    x = normal(g, 40, 90)
    x[0, 89], x[39, 0], x[17, 64] = float("nan"), float("inf"), float("-inf")
    return (x,)


NEAR_MISSES = (
    ("the column is subtracted from the row", lambda x: x - _distances(x)),
    ("the absolute distance is added", lambda x: x + _distances(x).abs()),
    ("row and column are added", lambda x: (
        x + torch.arange(x.shape[0])[:, None] + torch.arange(x.shape[1])[None, :])),
    ("row and column are counted within the tile", lambda x: (
        x + torch.arange(x.shape[1])[None, :] % 64 - torch.arange(x.shape[0])[:, None] % 16)),
    ("only the column is added", lambda x: x + torch.arange(x.shape[1])[None, :]),
    ("only the row is subtracted", lambda x: x - torch.arange(x.shape[0])[:, None]),
    ("nothing is added", lambda x: x),
)  # fmt: skip


CASES = (
    Case("one element", matrix(1, 1)),
    Case("two rows of three", matrix(2, 3)),
    Case("one row", matrix(1, 300)),
    Case("one column", matrix(300, 1)),
    Case("one short of a tile", matrix(15, 63)),
    Case("exactly one tile", matrix(16, 64)),
    Case("one past a tile", matrix(17, 65)),
    Case("one more row than a tile", matrix(17, 64)),
    Case("one more column than a tile", matrix(16, 65)),
    Case("square", matrix(70, 70)),
    Case("long", matrix(260, 5)),
    Case("wide", matrix(3, 2060)),
    Case("nothing but zeros", lambda g: (0 * normal(g, 20, 70),)),
    Case("times 10,000", matrix(33, 70, 1e4)),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("4096 by 4096", matrix(4096, 4096))
