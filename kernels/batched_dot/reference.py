import torch

from tutor.judge.near_misses import PRODUCT
from tutor.judge.spec import Case, Work

NEAR_MISSES = PRODUCT
CONTIGUOUS = True
ACCUMULATORS = "float32"
LEAST_PROGRAMS = 3  # of a batch of 37
MOST_LAUNCHES = 1  # a launch for each member leaves the program's number nothing to choose


PROMISED = (
    (
        "`M`, `K` and `N` are from 1 to 64",
        lambda a, b: all(1 <= size <= 64 for size in (*a.shape[1:], *b.shape[1:])),
    ),
    ("the batch has at least one member", lambda a, b: a.shape[0] >= 1),
)


def reference(a, b):
    return a @ b


def eager(a, b):
    return torch.bmm(a, b)


def work(a, b):
    (batch, m, k), n = a.shape, b.shape[2]
    moved = batch * (m * k + k * n + m * n) * a.element_size()
    return Work(bytes=moved, flops=2 * batch * m * n * k, units="bf16")


def scale(a, b):
    # The result is rounded to 8 bits; before that only the float32 sum rounds.
    return (a @ b).abs() + 2.0**-10 * (a.abs() @ b.abs())


def numbers(g, *shape, shift=0.0, factor=1.0):
    drawn = shift + factor * torch.randn(shape, generator=g, device=g.device)
    return drawn.to(torch.bfloat16)


def sizes(batch, m, k, n, **law):
    return lambda g: (numbers(g, batch, m, k, **law), numbers(g, batch, k, n, **law))


def sums_that_nearly_cancel(g):
    """Factors whose products nearly cancel: the two terms that do may stand anywhere along K."""
    a, b, rest = numbers(g, 3, 20, 32), numbers(g, 3, 32, 24), numbers(g, 3, 32, 24)
    order = torch.randperm(64, generator=g, device=g.device)
    a, b = torch.cat((a, a), 2), torch.cat((b, 2.0**-6 * rest - b), 1)
    return a[:, :, order].contiguous(), b[:, order].contiguous()


CASES = (
    Case("one number each", sizes(1, 1, 1, 1)),
    Case("two by three by four", sizes(2, 2, 3, 4)),
    Case("one short of 16", sizes(3, 15, 15, 15)),
    Case("exactly 16", sizes(3, 16, 16, 16)),
    Case("one past 16", sizes(3, 17, 17, 17)),
    Case("a row times a column", sizes(4, 1, 40, 1)),
    Case("a column times a row", sizes(4, 40, 1, 33)),
    Case("tall", sizes(2, 64, 5, 9)),
    Case("wide", sizes(2, 9, 5, 64)),
    Case("deep", sizes(2, 5, 64, 9)),
    Case("64 by 64 by 64", sizes(2, 64, 64, 64)),
    Case("31 by 33 by 47", sizes(2, 31, 33, 47)),
    Case("a batch of 37", sizes(37, 25, 26, 27)),
    Case("times 100,000", sizes(2, 20, 20, 20, factor=1e5)),
    Case("sums that nearly cancel", sums_that_nearly_cancel),
    Case("all near 5", sizes(2, 20, 20, 20, shift=5.0)),
    Case(
        "a nothing but zeros",
        lambda g: (0 * numbers(g, 2, 9, 20), numbers(g, 2, 20, 8)),
    ),
)
TIMING = Case("4096 products of 64 by 64", sizes(4096, 64, 64, 64))
