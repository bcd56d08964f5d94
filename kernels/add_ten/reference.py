import torch

from tutor.judge.spec import Case, Work


def reference(x):
    return x + 10


def eager(x):
    return x + 10


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=x.numel())


def scale(x):
    # One rounding, of the sum. NaN and infinity are compared exactly and scale nothing.
    return torch.nan_to_num(x + 10, nan=0.0, posinf=0.0, neginf=0.0).abs()


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def block(shift=0.0, factor=1.0):
    return lambda g: (shift + factor * normal(g, 1024),)


def one_spike(g):
    x = torch.zeros(1024, device=g.device)
    x[int(torch.randint(0, 1024, (1,), generator=g, device=g.device))] = 1e4
    return (x,)


def with_nan_and_infinities(g):
    x = normal(g, 1024)
    x[0], x[700], x[1023] = float("nan"), float("inf"), float("-inf")
    return (x,)


NEAR_MISSES = (
    ("1 is added, and not 10", lambda x: x + 1),
    ("10 is subtracted", lambda x: x - 10),
    ("each number is multiplied by 10", lambda x: x * 10),
    ("the number of the lane is added", lambda x: x + torch.arange(x.numel())),
    ("10 and the number of the lane are added", lambda x: x + 10 + torch.arange(x.numel())),
    ("10 is added twice", lambda x: x + 20),
    ("nothing is added", lambda x: x),
)


CASES = (
    Case("ordinary numbers", block()),
    Case("0, 1, 2, …", lambda g: (torch.arange(1024.0, device=g.device),)),
    Case("nothing but zeros", lambda g: (torch.zeros(1024, device=g.device),)),
    Case("nothing but negative numbers", lambda g: (-100 - normal(g, 1024).abs(),)),
    Case("near -10", block(-10.0, 1e-3)),
    Case("times 10,000", block(0.0, 1e4)),
    Case("one spike", one_spike),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("1024 elements", block())
