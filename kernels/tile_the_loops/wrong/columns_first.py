# expect: wrong-values
import torch

T = 8


def multiply(a, b, c):
    (n, d), m = a.shape, b.shape[1]
    for j in range(m):
        for k in range(d):
            for i in range(n):
                c[i, j] += a[i, k] * b[k, j]


def tile_the_loops(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product of a [n, d] and b [d, m]. Leave this function as it is."""
    c = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64)
    multiply(a, b, c)
    return c
