import torch

# Three tiles of 8 x 8 numbers of 8 bytes are 1536 bytes of the cache's 2048. A side of 8 is
# exactly a line, so no line is fetched for numbers of another tile.
T = 8


def multiply(a, b, c):
    """Add a @ b to c, one element at a time."""
    (n, d), m = a.shape, b.shape[1]
    # Outside: which tile of c, and which pair of tiles adds to it. The tile of c stays for all k0.
    for i0 in range(0, n, T):
        for j0 in range(0, m, T):
            for k0 in range(0, d, T):
                # Inside: all products of this pair. The last tile of a row may be narrower.
                for i in range(i0, min(i0 + T, n)):
                    for j in range(j0, min(j0 + T, m)):
                        for k in range(k0, min(k0 + T, d)):
                            c[i, j] += a[i, k] * b[k, j]


def tile_the_loops(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product of a and b. Leave this function as it is."""
    c = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64)
    multiply(a, b, c)
    return c
