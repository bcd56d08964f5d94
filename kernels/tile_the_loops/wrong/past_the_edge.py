# expect: crash
import torch

T = 8


def multiply(a, b, c):
    (n, d), m = a.shape, b.shape[1]
    for i0 in range(0, n, T):
        for j0 in range(0, m, T):
            for k0 in range(0, d, T):
                for i in range(i0, i0 + T):
                    for j in range(j0, j0 + T):
                        for k in range(k0, k0 + T):
                            c[i, j] += a[i, k] * b[k, j]


def tile_the_loops(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product of a [n, d] and b [d, m]. Leave this function as it is."""
    c = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64)
    multiply(a, b, c)
    return c
