import torch

from tutor.judge.spec import Case, Waves, Work

MOST_FETCHED = Waves(programs=16, most=1.7)
LEAST_PROGRAMS = 256


def reference(a, b):
    return a @ b


def eager(a, b):
    return a @ b


def work(a, b):
    (m, k), n = a.shape, b.shape[1]
    moved = (m * k + k * n + m * n) * a.element_size()
    return Work(bytes=moved, flops=2 * m * n * k, units="fp16")


def scale(a, b):
    # The result is rounded to 11 bits; before that only the float32 sum rounds.
    return (a @ b).abs() + 2.0**-13 * (a.abs() @ b.abs())


def numbers(g, *shape, shift=0.0, factor=1.0):
    drawn = shift + factor * torch.randn(shape, generator=g, device=g.device)
    return drawn.to(torch.float16)


def tiles(m, k, n, **law):
    """The sizes are counted in tiles of 16."""
    m, k, n = 16 * m, 16 * k, 16 * n
    return lambda g: (numbers(g, m, k, **law), numbers(g, k, n, **law))


CASES = (
    Case("one tile", tiles(1, 1, 1)),
    Case("one row of tiles", tiles(1, 1, 7)),
    Case("one column of tiles", tiles(7, 1, 1)),
    Case("4 by 4 tiles", tiles(4, 1, 4)),
    Case("5 by 3 tiles", tiles(5, 2, 3)),
    Case("3 by 5 tiles", tiles(3, 2, 5)),
    Case("8 by 2 tiles", tiles(8, 1, 2)),
    Case("9 by 4 tiles", tiles(9, 1, 4)),
    Case("2 by 11 tiles", tiles(2, 3, 11)),
    Case("times 20", tiles(3, 2, 2, factor=20.0)),
    Case("all near 5", tiles(2, 2, 3, shift=5.0)),
    Case("a nothing but zeros", lambda g: (0 * numbers(g, 48, 16), numbers(g, 16, 32))),
    Case("16 by 16 tiles, K = 64", tiles(16, 4, 16)),
)
TIMING = Case("2048 by 2048 by 2048", tiles(128, 128, 128))
