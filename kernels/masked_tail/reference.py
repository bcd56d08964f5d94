import torch

from tutor.judge.spec import Case, Work

COPIES = False  # a padded copy needs no mask
BLOCK = 1024


def reference(x):
    spare = -x.numel() % BLOCK
    return torch.nn.functional.pad(x, (0, spare), value=float("inf")).view(-1, BLOCK).amin(1)


def eager(x):
    return reference(x)


def work(x):
    blocks = -(-x.numel() // BLOCK)
    return Work(bytes=(x.numel() + blocks) * x.element_size(), flops=x.numel())


def scale(x):
    return 0.0  # a minimum is one of the elements: nothing is rounded


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def vector(n, shift=0.0, factor=1.0):
    return lambda g: (shift + factor * normal(g, n),)


def with_infinities(g):
    x = normal(g, 2500)
    x[0], x[1023], x[1500] = float("inf"), float("inf"), float("-inf")
    return (x,)


def blocks_of(x, padding):
    return torch.nn.functional.pad(x, (0, -x.numel() % BLOCK), value=padding).view(-1, BLOCK)


NEAR_MISSES = (
    ("the largest number of each block is taken", lambda x: blocks_of(x, float("-inf")).amax(1)),
    ("the numbers of each block are added", lambda x: blocks_of(x, 0.0).sum(1)),
    ("the first number of each block is taken", lambda x: x[::BLOCK]),
    ("the smallest absolute value is taken", lambda x: blocks_of(x.abs(), float("inf")).amin(1)),
    (
        "every block gives the smallest number of all",
        lambda x: x.amin().expand(-(-x.numel() // BLOCK)),
    ),
    ("the sign of the numbers is turned round", lambda x: blocks_of(-x, float("inf")).amin(1)),
)


CASES = (
    Case("one element", lambda g: (3 + normal(g, 1).abs(),)),
    Case("two elements", vector(2)),
    Case("one short of the block", vector(1023)),
    Case("exactly one block", vector(1024)),
    Case("one past the block", vector(1025)),
    Case("exactly two blocks", vector(2048)),
    Case("two blocks and a half", vector(2560)),
    Case("many blocks and a tail", vector(10_007)),
    Case("nothing but positive numbers", lambda g: (1 + normal(g, 1500).abs(),)),
    Case("nothing but negative numbers", lambda g: (-1 - normal(g, 1500).abs(),)),
    Case("near 1e30", lambda g: (1e30 * (1 + normal(g, 1500).abs()),)),
    Case("infinities", with_infinities),
    Case("nothing but infinity", lambda g: (torch.full((1100,), float("inf"), device=g.device),)),
)
TIMING = Case("16 Mi elements", vector(1 << 24))
