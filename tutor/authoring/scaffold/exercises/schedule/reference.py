"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, Nest, Work


def reference(a):  # what the scheduled program must compute; called with float64 copies
    return a * 2


eager = reference


def work(a):
    return Work(bytes=2 * a.nbytes, flops=a.numel())


# docs/course-format.md has the other properties: threads, copies, what runs inside what, equality.
PROPERTIES = (Nest("B", (..., 32), {0: "parallel", -1: "vectorized"}),)


def vector(size):
    return lambda g: (torch.randn(size, generator=g, device=g.device),)


CASES = tuple(
    Case(f"{32 * count} numbers", vector(32 * count)) for count in (2, 3, 4, 7, 8, 16)
)
