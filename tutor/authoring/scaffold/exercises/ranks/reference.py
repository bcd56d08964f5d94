"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, Work

ALLOWED = ("send", "recv")  # operations that a rank may call


def reference(world, x):  # x has a row a rank, and so has what comes back
    return x.roll(1, 0)


eager = reference


def work(world, x):
    return Work(bytes=2 * x.nbytes, flops=0)


def scale(world, x):
    return 0  # numbers are moved, not computed


def most_sent(world, x):  # bytes of a rank
    return x[0].nbytes


def rows(world, n):
    return lambda g: (world, torch.randn(world, n, generator=g, device=g.device))


CASES = tuple(
    Case(f"{world} ranks, {n} numbers", rows(world, n))
    for world, n in ((2, 5), (3, 1), (4, 100), (2, 64), (3, 17), (4, 1))
)
