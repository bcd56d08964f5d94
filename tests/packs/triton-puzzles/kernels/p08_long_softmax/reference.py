"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, Work


def reference(x):
    return torch.softmax(x, -1)


eager = reference


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=4 * x.numel())


def rows(count, length):
    return lambda g: (torch.randn(count, length, generator=g, device=g.device),)


def large(count, length):
    return lambda g: (torch.randn(count, length, generator=g, device=g.device) * 100,)


CASES = (
    Case("one element", rows(1, 1)),
    Case("shorter than the block", rows(3, 50)),
    Case("exactly one block", rows(2, 128)),
    Case("one past the block", rows(4, 129)),
    Case("several blocks and a tail", rows(3, 700)),
    Case("many rows", rows(40, 130)),
    Case("large values", large(3, 300)),
)
TIMING = Case("for the time", rows(4096, 4096))
