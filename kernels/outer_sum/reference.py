import torch

from tutor.judge.spec import Case, Work


def reference(x, y):
    return x[:, None] + y[None, :]


def eager(x, y):
    return x[:, None] + y[None, :]


def work(x, y):
    elements = x.numel() * y.numel()
    moved = (x.numel() + y.numel() + elements) * x.element_size()
    return Work(bytes=moved, flops=elements)


def scale(x, y):
    # One rounding, of each sum. NaN and infinity are compared exactly and scale nothing.
    return torch.nan_to_num(x[:, None] + y[None, :], nan=0.0, posinf=0.0, neginf=0.0).abs()


NEAR_MISSES = (
    ("`y` is subtracted", lambda x, y: x[:, None] - y),
    ("`x` is subtracted from `y`", lambda x, y: y - x[:, None]),
    ("each pair is multiplied", lambda x, y: x[:, None] * y),
    ("`y` is left out", lambda x, y: x[:, None] + 0 * y),
    ("`x` is left out", lambda x, y: 0 * x[:, None] + y),
    ("`x` runs along the columns and `y` along the rows", lambda x, y: (x + y[:, None]).reshape(
        len(x), len(y))),
    ("`x` is read for `y` as well", lambda x, y: x[:, None] + x[torch.arange(len(y)) % len(x)]),
)  # fmt: skip


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def pair(n, m, factor=1.0):
    return lambda g: (factor * normal(g, n), factor * normal(g, m))


def with_nan_and_infinities(g):
    x, y = normal(g, 40), normal(g, 90)
    x[0], x[20], x[39] = float("nan"), float("inf"), float("-inf")
    y[1], y[64], y[89] = float("nan"), float("inf"), float("-inf")
    return x, y


CASES = (
    Case("one and one", pair(1, 1)),
    Case("one and two", pair(1, 2)),
    Case("three and one", pair(3, 1)),
    Case("one short of a tile", pair(15, 63)),
    Case("exactly one tile", pair(16, 64)),
    Case("one past a tile", pair(17, 65)),
    Case("16 and 65", pair(16, 65)),
    Case("17 and 64", pair(17, 64)),
    Case("the same length twice", pair(70, 70)),
    Case("long and short", pair(200, 5)),
    Case("short and long", pair(5, 200)),
    Case("rows of 5000", pair(3, 5000)),
    Case("many tiles", pair(130, 260)),
    Case("nothing but zeros", lambda g: (0 * normal(g, 20), 0 * normal(g, 30))),
    Case("times 10,000", pair(33, 70, 1e4)),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("4096 and 4096", pair(4096, 4096))
