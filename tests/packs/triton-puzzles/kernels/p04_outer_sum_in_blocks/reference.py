"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, Work


def reference(x, y):
    return x[None, :] + y[:, None]


eager = reference


def work(x, y):
    return Work(
        bytes=(x.numel() + y.numel() + x.numel() * y.numel()) * x.element_size(),
        flops=x.numel() * y.numel(),
    )


def vectors(columns, rows):
    return lambda g: (
        torch.randn(columns, generator=g, device=g.device),
        torch.randn(rows, generator=g, device=g.device),
    )


CASES = (
    Case("one element", vectors(1, 1)),
    Case("one row", vectors(100, 1)),
    Case("one column", vectors(1, 70)),
    Case("exactly one block", vectors(32, 32)),
    Case("one past the block both ways", vectors(33, 33)),
    Case("a tail in each direction", vectors(90, 50)),
)
TIMING = Case("for the time", vectors(2048, 2048))
