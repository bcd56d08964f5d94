import torch

from tutor.judge.spec import Case, Work

LEAST_PROGRAMS = 41  # of 41 blocks
MOST_LAUNCHES = 1  # a launch for each block has no block to find out


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


def blocks(count, shift=0.0, factor=1.0):
    return lambda g: (shift + factor * normal(g, 1024 * count),)


def with_nan_and_infinities(g):
    x = normal(g, 4096)
    x[0], x[1024], x[2047], x[4095] = float("nan"), float("inf"), float("-inf"), float("nan")
    return (x,)


def blocks_of(x):
    return torch.arange(x.numel()) // 1024


NEAR_MISSES = (
    ("10 is subtracted", lambda x: x - 10),
    ("each number is multiplied by 10", lambda x: x * 10),
    ("the number of the program is added as well", lambda x: x + 10 + blocks_of(x)),
    ("the number of the program is added, and not 10", lambda x: x + blocks_of(x)),
    ("every program reads the first block", lambda x: x[:1024].repeat(x.numel() // 1024) + 10),
    ("each program reads the block after its own", lambda x: x.roll(-1024) + 10),
    ("nothing is added", lambda x: x),
)


CASES = (
    Case("one block", blocks(1)),
    Case("two blocks", blocks(2)),
    Case("three blocks", blocks(3)),
    Case("seven blocks", blocks(7)),
    Case("sixteen blocks", blocks(16)),
    Case("41 blocks", blocks(41)),
    Case("0, 1, 2, …", lambda g: (torch.arange(3072.0, device=g.device),)),
    Case("nothing but zeros", lambda g: (torch.zeros(2048, device=g.device),)),
    Case("nothing but negative numbers", lambda g: (-100 - normal(g, 3072).abs(),)),
    Case("times 10,000", blocks(5, 0.0, 1e4)),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("16 Mi elements", blocks(1 << 14))
