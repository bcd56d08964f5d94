"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, Work


def reference(x):
    return x + 10


eager = reference


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=x.numel())


def vector(n):
    return lambda g: (torch.randn(n, generator=g, device=g.device),)


CASES = (
    Case("one element", vector(1)),
    Case("one short of the block", vector(63)),
    Case("exactly one block", vector(64)),
    Case("one past the block", vector(65)),
    Case("many blocks and a tail", vector(1000)),
    Case("200 elements", vector(200)),
)
TIMING = Case("for the time", vector(1 << 22))
