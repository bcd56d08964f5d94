import torch

from tutor.judge.spec import Cached, Case, Nest, Work


def reference(a, b):
    return a @ b


eager = reference


def work(a, b):
    n, d, m = *a.shape, b.shape[1]
    return Work(bytes=4 * (n * d + d * m + n * m), flops=2 * n * d * m)


def scale(a, b):
    return a.abs() @ b.abs()


PROPERTIES = (
    Nest("C", (..., 8, 8, 8), {0: "parallel", -1: "vectorized"}),
    Cached("B", "local", 8 * 8 * 4),
)


def drawn(n, d, m):
    return lambda g: tuple(
        torch.randn(*shape, generator=g, device=g.device) for shape in ((n, d), (d, m))
    )


CASES = tuple(
    Case(f"{n} x {d} x {m}", drawn(n, d, m))
    for n, d, m in (
        (16, 16, 16),
        (32, 16, 16),
        (16, 32, 16),
        (16, 16, 32),
        (24, 40, 16),
        (8, 16, 24),
    )
)
