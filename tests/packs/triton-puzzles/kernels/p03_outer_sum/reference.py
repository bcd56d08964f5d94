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
    Case("1 rows, 1 columns", vectors(1, 1)),
    Case("1 rows, 2 columns", vectors(2, 1)),
    Case("16 rows, 8 columns", vectors(8, 16)),
    Case("32 rows, 32 columns", vectors(32, 32)),
    Case("16 rows, 64 columns", vectors(64, 16)),
    Case("64 rows, 64 columns", vectors(64, 64)),
)
TIMING = Case("for the time", vectors(64, 64))
