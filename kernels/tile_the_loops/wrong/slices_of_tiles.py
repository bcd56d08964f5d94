# expect: crash
import torch

T = 8


def multiply(a, b, c):
    (n, d), m = a.shape, b.shape[1]
    for i in range(0, n, T):
        for j in range(0, m, T):
            for k in range(0, d, T):
                c[i : i + T, j : j + T] += a[i : i + T, k : k + T] @ b[k : k + T, j : j + T]


def tile_the_loops(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product of a [n, d] and b [d, m]. Leave this function as it is."""
    c = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64)
    multiply(a, b, c)
    return c
