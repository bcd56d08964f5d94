"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, Work


def reference(q, k, v):
    return torch.softmax(q[:, None] * k[None, :], -1) @ v


eager = reference


def work(q, k, v):
    return Work(bytes=4 * q.numel() * q.element_size(), flops=5 * q.numel() ** 2)


def vectors(n):
    return lambda g: tuple(torch.randn(n, generator=g, device=g.device) for _ in range(3))


def scale(q, k, v):
    return torch.softmax(q[:, None] * k[None, :], -1) @ v.abs()


CASES = (
    Case("one element", vectors(1)),
    Case("shorter than a block", vectors(20)),
    Case("exactly one block of keys", vectors(64)),
    Case("one past the block", vectors(65)),
    Case("several blocks and a tail", vectors(200)),
    Case("more queries than a block", vectors(33)),
)
TIMING = Case("for the time", vectors(8192))
