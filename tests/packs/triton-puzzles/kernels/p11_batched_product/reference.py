"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, Work


def reference(x, y):
    return x @ y


eager = reference


def work(x, y):
    return Work(
        bytes=(x.numel() + y.numel() + x.shape[0] * x.shape[1] * y.shape[2]) * x.element_size(),
        flops=2 * x.numel() * y.shape[2],
    )


def matrices(batch, rows, inner, columns):
    return lambda g: (
        torch.randn(batch, rows, inner, generator=g, device=g.device),
        torch.randn(batch, inner, columns, generator=g, device=g.device),
    )


def scale(x, y):
    return x.abs() @ y.abs()


CASES = (
    Case("one element", matrices(1, 1, 1, 1)),
    Case("smaller than a tile", matrices(2, 5, 7, 9)),
    Case("exactly one tile", matrices(1, 32, 32, 32)),
    Case("one past the tile", matrices(2, 33, 33, 33)),
    Case("a long inner dimension", matrices(1, 20, 100, 20)),
    Case("tails everywhere", matrices(3, 50, 40, 70)),
)
TIMING = Case("for the time", matrices(8, 1024, 1024, 1024))
