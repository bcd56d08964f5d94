"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, Work


def reference(x, y, dz):
    return torch.where(x * y[:, None] > 0, dz * y[:, None], 0.0)


eager = reference


def work(x, y, dz):
    return Work(bytes=(3 * x.numel() + y.numel()) * x.element_size(), flops=3 * x.numel())


def matrices(rows, columns):
    return lambda g: (
        torch.randn(rows, columns, generator=g, device=g.device),
        torch.randn(rows, generator=g, device=g.device),
        torch.randn(rows, columns, generator=g, device=g.device),
    )


CASES = (
    Case("one element", matrices(1, 1)),
    Case("one row", matrices(1, 100)),
    Case("one column", matrices(70, 1)),
    Case("exactly one block", matrices(32, 32)),
    Case("one past the block", matrices(33, 33)),
    Case("a tail in each direction", matrices(50, 90)),
)
TIMING = Case("for the time", matrices(2048, 2048))
