import torch

from tutor.judge.spec import Bound, Cached, Case, Nest, Once, Within, Work


def reference(a, b, bias):
    return (a @ b + bias).clamp(min=0)


eager = reference


def work(a, b, bias):
    n, d, m = *a.shape, b.shape[1]
    return Work(bytes=4 * (n * d + d * m + m + n * m), flops=2 * n * d * m + 2 * n * m)


def scale(a, b, bias):
    return a.abs() @ b.abs() + bias.abs()


_THREADS = {"blockIdx.y": None, "blockIdx.x": None, "threadIdx.y": 16, "threadIdx.x": 16}
_TILE = 16 * 16 * 4  # bytes

PROPERTIES = (
    Cached("A", "shared", _TILE, least=_TILE),
    Cached("B", "shared", _TILE, least=_TILE),
    Bound("C", _THREADS),
    Once("D"),
    Within("D", "C", 4, turns=1),
    Within("A_shared", "C", 1, turns=1),
    Within("B_shared", "C", 1, turns=1),
    Nest("A_shared", (..., 16, 16), {-2: "threadIdx.y", -1: "threadIdx.x"}),
    Nest("B_shared", (..., 16, 16), {-2: "threadIdx.y", -1: "threadIdx.x"}),
)


def drawn(n, d, m):
    def make(g):
        shapes = ((n, d), (d, m), (m,))
        return tuple(torch.randn(shape, generator=g, device=g.device) for shape in shapes)

    return make


CASES = (
    Case("one tile", drawn(16, 16, 16)),
    Case("64 by 64 by 64", drawn(64, 64, 64)),
    Case("one row of tiles", drawn(16, 48, 64)),
    Case("one column of tiles", drawn(80, 32, 16)),
    Case("one step of tiles", drawn(32, 16, 48)),
    Case("a long sum", drawn(16, 160, 16)),
)
