import torch

from tutor.judge.spec import Case, Work

ACCUMULATORS = "float32"
MOST_LAUNCHES = 1
WIDEST_BLOCK = 4096  # a tensor of any size does not fit in one block
MOST_TRAFFIC = 1.2  # a second launch, which stores the product and loads it again, needs 1.5


def reference(a, b, c):
    return a * b + c


def eager(a, b, c):
    return a * b + c


def work(a, b, c):
    return Work(bytes=4 * a.numel() * a.element_size(), flops=2 * a.numel())


def scale(a, b, c):
    # Where c cancels the product, the rounding of the product is what remains: the error grows
    # with |a * b| + |c|, not with the result. NaN and infinity are compared exactly, so they scale
    # nothing.
    return torch.nan_to_num((a * b).abs() + c.abs(), nan=0.0, posinf=0.0)


NEAR_MISSES = (
    ("the sum is taken first, as `a * (b + c)`", lambda a, b, c: a * (b + c)),
    ("the sum is taken first, as `(a + b) * c`", lambda a, b, c: (a + b) * c),
    ("`c` is left out", lambda a, b, c: a * b),
    ("`c` is subtracted", lambda a, b, c: a * b - c),
    ("`c` multiplies too", lambda a, b, c: a * b * c),
    ("all three are added", lambda a, b, c: a + b + c),
    ("`a` and `c` are exchanged", lambda a, b, c: c * b + a),
    ("`b` and `c` are exchanged", lambda a, b, c: a * c + b),
    ("the product is subtracted from `c`", lambda a, b, c: c - a * b),
)


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def three(*shape):
    return lambda g: (normal(g, *shape), normal(g, *shape), normal(g, *shape))


def three_with_a_spike(g):
    a = normal(g, 3)
    a[int(torch.randint(0, 3, (1,), generator=g, device=g.device))] = 100.0
    return a, normal(g, 3), normal(g, 3)


def c_cancels_the_product(g):
    a, b = normal(g, 3001), normal(g, 3001)
    return a, b, -(a * b)


def with_nan_and_infinities(g):
    a, b, c = normal(g, 1500), normal(g, 1500), normal(g, 1500)
    a[0], a[700], a[1400], a[1499] = float("nan"), float("inf"), float("-inf"), float("inf")
    b[1], b[700], b[1499] = float("nan"), 0.0, 2.0
    c[2], c[900], c[1499] = float("nan"), float("inf"), float("-inf")
    return a, b, c


CASES = (
    Case("one element", three(1)),
    Case("two elements near 5", lambda g: tuple(5 + normal(g, 2) for _ in range(3))),
    Case("three elements, one a spike", three_with_a_spike),
    Case("one short of the block", three(1023)),
    Case("exactly one block", three(1024)),
    Case("one past the block", three(1025)),
    Case("many blocks and a tail", three(40_009)),
    Case(
        "three dimensions, c a view",
        lambda g: (*three(13, 11, 17)(g)[:2], normal(g, 11, 13, 17).transpose(0, 1)),
    ),
    Case("all transposed", lambda g: tuple(normal(g, 65, 33).T for _ in range(3))),
    Case(
        "a transposed, b and c contiguous",
        lambda g: (normal(g, 65, 33).T, normal(g, 33, 65), normal(g, 33, 65)),
    ),
    Case(
        "b transposed, a and c contiguous",
        lambda g: (normal(g, 33, 65), normal(g, 65, 33).T, normal(g, 33, 65)),
    ),
    Case(
        "c transposed, a and b contiguous",
        lambda g: (normal(g, 33, 65), normal(g, 33, 65), normal(g, 65, 33).T),
    ),
    Case(
        "three layouts",
        lambda g: (normal(g, 40, 90)[:, 7:50], normal(g, 43, 40).T, normal(g, 80, 43)[::2]),
    ),
    Case("every third element", lambda g: tuple(normal(g, 4500)[::3] for _ in range(3))),
    Case("starting at element 5", lambda g: tuple(normal(g, 2005)[5:] for _ in range(3))),
    Case("times 10,000", lambda g: tuple(1e4 * normal(g, 5000) for _ in range(3))),
    Case("nothing but zeros", lambda g: tuple(0 * normal(g, 50) for _ in range(3))),
    Case("small product, large c", lambda g: (normal(g, 999), normal(g, 999), 5 + normal(g, 999))),
    Case("c cancels the product", c_cancels_the_product),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("16 Mi elements", three(1 << 24))
