import torch

from tutor.judge.spec import Case, NoDead, Operators, Opset, Work


def reference(x, w, v):
    return torch.nn.functional.gelu(x @ w) @ v


eager = reference


def work(x, w, v):
    (n, d), (m, k) = x.shape, v.shape
    return Work(bytes=4 * (n * d + d * m + m * k + n * k), flops=2 * n * m * (d + k))


PROPERTIES = (
    Operators("Gelu", 1, 1),
    *(Operators(name, most=0) for name in ("Erf", "Div", "Add", "Mul")),
    Opset(20),
    NoDead(),
)


def drawn(n, d, m, k):
    return lambda g: tuple(
        torch.randn(*shape, generator=g, device=g.device) for shape in ((n, d), (d, m), (m, k))
    )


CASES = tuple(
    Case(f"{n} x {d} x {m} x {k}", drawn(n, d, m, k))
    for n, d, m, k in (
        (4, 8, 8, 4),
        (1, 3, 5, 2),
        (16, 16, 4, 1),
        (2, 7, 9, 3),
        (8, 1, 1, 8),
        (3, 12, 6, 5),
    )
)
