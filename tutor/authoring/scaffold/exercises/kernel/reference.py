"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, Work


def reference(x, factor):  # called with float64 copies; returns the truth
    return x * factor


def eager(x, factor):  # plain PyTorch in the inputs' own dtype: the yardstick for error and time
    return x * factor


def work(x, factor):  # the least that any correct program must move and do
    return Work(bytes=2 * x.numel() * x.element_size(), flops=x.numel())


def normal(size, factor=3.0):
    return lambda g: (torch.randn(size, generator=g, device=g.device), factor)


# At least six, each named for what is special about it: sizes around a block, extremes of value.
CASES = (
    Case("one element", normal(1)),
    Case("one short of the block", normal(1023)),
    Case("exactly one block", normal(1024)),
    Case("one past the block", normal(1025)),
    Case("many blocks and a tail", normal(10_007)),
    Case("a factor of zero", normal(777, 0.0)),
)
TIMING = Case("16 Mi elements", normal(1 << 24))
