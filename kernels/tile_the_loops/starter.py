import torch


def multiply(a, b, c):
    """Add a @ b to c, one element at a time."""
    (n, d), m = a.shape, b.shape[1]
    # Cut these loops into tiles. As they stand, nearly
    # every line misses.
    for i in range(n):
        for j in range(m):
            for k in range(d):
                c[i, j] += a[i, k] * b[k, j]


def tile_the_loops(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product of a and b. Leave this function as it is."""
    c = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64)
    multiply(a, b, c)
    return c
