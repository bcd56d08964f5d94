import torch

from tutor.judge.spec import Case, Nest, Once, Within, Work


def reference(a, b, bias):
    return (a @ b + bias).clamp(min=0)


eager = reference


def work(a, b, bias):
    n, d, m = *a.shape, b.shape[1]
    return Work(bytes=4 * (n * d + d * m + m + n * m), flops=2 * n * d * m + 2 * n * m)


def scale(a, b, bias):
    return a.abs() @ b.abs() + bias.abs()


PROPERTIES = (
    Nest("C_update", (..., 8, 4, 16), {0: "parallel", -2: "unrolled", -1: "vectorized"}),
    Once("C_update"),
    Within("C_init", "C_update", 1, turns=4 * 16),
    Nest("C_init", kinds={-1: "vectorized"}),
)


def drawn(n, d, m):
    def make(g):
        shapes = ((n, d), (d, m), (m,))
        return tuple(torch.randn(shape, generator=g, device=g.device) for shape in shapes)

    return make


CASES = (
    Case("4 rows, 8 steps, 16 columns", drawn(4, 8, 16)),
    Case("64 by 64 by 64", drawn(64, 64, 64)),
    Case("4 rows", drawn(4, 24, 80)),
    Case("16 columns", drawn(20, 40, 16)),
    Case("8 steps", drawn(12, 8, 48)),
    Case("more rows than columns", drawn(92, 16, 32)),
)
