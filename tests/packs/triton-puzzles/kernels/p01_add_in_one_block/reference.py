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
    Case("1 elements", vector(1)),
    Case("2 elements", vector(2)),
    Case("32 elements", vector(32)),
    Case("128 elements", vector(128)),
    Case("512 elements", vector(512)),
    Case("1024 elements", vector(1024)),
)
TIMING = Case("for the time", vector(1024))
