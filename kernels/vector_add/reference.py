import torch

from tutor.judge.spec import Case, Work

WIDEST_BLOCK = 4096  # many millions of elements do not fit in one block


def reference(x, y):
    return x + y


def eager(x, y):
    return x + y


def work(x, y):
    return Work(bytes=3 * x.numel() * x.element_size(), flops=x.numel())


def scale(x, y):
    # One rounding, of the sum itself. NaN and infinity are compared exactly and scale nothing.
    return torch.nan_to_num(x + y, nan=0.0, posinf=0.0, neginf=0.0).abs()


NEAR_MISSES = (
    ("`y` is subtracted", lambda x, y: x - y),
    ("`x` is subtracted from `y`", lambda x, y: y - x),
    ("`x` and `y` are multiplied", lambda x, y: x * y),
    ("`x` is added to itself", lambda x, y: x + x),
    ("`y` is added to itself", lambda x, y: y + y),
    ("`y` is left out", lambda x, y: x + 0 * y),
    ("`x` is left out", lambda x, y: 0 * x + y),
    ("`y` is added twice", lambda x, y: x + 2 * y),
    ("`x` is added twice", lambda x, y: 2 * x + y),
    ("the larger of the two is taken", torch.maximum),
    ("the sum is halved", lambda x, y: (x + y) / 2),
    ("each element of `y` meets the element of `x` before it", lambda x, y: x.roll(1) + y),
)


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def pair(*shape):
    return lambda g: (normal(g, *shape), normal(g, *shape))


def three_with_a_spike(g):
    x = normal(g, 3)
    x[int(torch.randint(0, 3, (1,), generator=g, device=g.device))] = 100.0
    return x, normal(g, 3)


def y_almost_cancels_x(g):
    x = normal(g, 1201)
    return x, 1e-3 * normal(g, 1201) - x


def with_nan_and_infinities(g):
    x, y = normal(g, 1500), normal(g, 1500)
    x[0], x[700], x[1400] = float("nan"), float("inf"), float("-inf")
    y[1], y[700], y[1401] = float("nan"), float("-inf"), float("inf")
    return x, y


CASES = (
    Case("one element", pair(1)),
    Case("two elements near 5", lambda g: (5 + normal(g, 2), 5 + normal(g, 2))),
    Case("three elements, one a spike", three_with_a_spike),
    Case("one short of the block", pair(1023)),
    Case("exactly one block", pair(1024)),
    Case("one past the block", pair(1025)),
    Case("two blocks and a half", pair(2560)),
    Case("many blocks and a tail", pair(40_009)),
    Case("four dimensions", pair(3, 5, 7, 11)),
    Case("a matrix", pair(33, 65)),
    Case("a tall matrix", pair(700, 3)),
    Case("seven full blocks", pair(7168)),
    Case("x large, y small", lambda g: (1e4 * normal(g, 1500), 1e-3 * normal(g, 1500))),
    Case("nothing but negative numbers", lambda g: tuple(-1 - normal(g, 1100).abs() for _ in "xy")),
    Case("starting at element 3", lambda g: (normal(g, 2003)[3:], normal(g, 2003)[3:])),
    Case("times 10,000", lambda g: (1e4 * normal(g, 1500), 1e4 * normal(g, 1500))),
    Case("nothing but zeros", lambda g: (0 * normal(g, 50), 0 * normal(g, 50))),
    Case("y almost cancels x", y_almost_cancels_x),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("16 Mi elements", pair(1 << 24))
