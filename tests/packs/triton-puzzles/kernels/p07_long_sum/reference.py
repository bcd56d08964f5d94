"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, Work


def reference(x):
    return x.sum(-1)


eager = reference


def work(x):
    return Work(bytes=(x.numel() + x.shape[0]) * x.element_size(), flops=x.numel())


def rows(count, length):
    return lambda g: (torch.randn(count, length, generator=g, device=g.device),)


def scale(x):
    return x.abs().sum(-1)


CASES = (
    Case("one element", rows(1, 1)),
    Case("shorter than the block", rows(3, 50)),
    Case("exactly one block", rows(2, 128)),
    Case("one past the block", rows(4, 129)),
    Case("several blocks and a tail", rows(3, 700)),
    Case("many rows", rows(40, 130)),
)
TIMING = Case("for the time", rows(4096, 4096))
