import torch

from tutor.judge.spec import Cached, Case, Nest, Once, Within, Work


def reference(a, b, bias):
    return (a @ b + bias).clamp(min=0)


eager = reference


def work(a, b, bias):
    n, d, m = *a.shape, b.shape[1]
    return Work(bytes=4 * (n * d + d * m + m + n * m), flops=2 * n * d * m + 2 * n * m)


def scale(a, b, bias):
    return a.abs() @ b.abs() + bias.abs()


PROPERTIES = (
    Nest("C", (..., 16, 16), {0: "parallel"}),
    Within("D", "C", 1, turns=16 * 16),
    Once("D"),
    Cached("C", "local", 16 * 16 * 4),
    Nest("D", kinds={-1: "vectorized"}),
)


def drawn(n, d, m):
    def make(g):
        shapes = ((n, d), (d, m), (m,))
        return tuple(torch.randn(shape, generator=g, device=g.device) for shape in shapes)

    return make


CASES = (
    Case("one tile", drawn(16, 8, 16)),
    Case("64 by 64 by 64", drawn(64, 64, 64)),
    Case("one row of tiles", drawn(16, 24, 80)),
    Case("one column of tiles", drawn(96, 40, 16)),
    Case("two steps", drawn(32, 2, 48)),
    Case("7 steps", drawn(48, 7, 32)),
)
