import torch

SIDE = 8


def multiply(a, b, c):
    n, m = c.shape
    depth = a.shape[1]
    for k0 in range(0, depth, SIDE):
        for j0 in range(0, m, SIDE):
            kept = [
                [b[k, j] for j in range(j0, min(j0 + SIDE, m))]
                for k in range(k0, min(k0 + SIDE, depth))
            ]
            for i in range(n):
                row = [a[i, k0 + k] for k in range(len(kept))]
                for j in range(len(kept[0])):
                    c[i, j0 + j] += sum(x * line[j] for x, line in zip(row, kept, strict=True))


def tile_the_loops(a, b):
    c = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64)
    multiply(a, b, c)
    return c
