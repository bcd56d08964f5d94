import torch

T = 8


def multiply(a, b, c):
    (n, d), m = a.shape, b.shape[1]
    for j0 in range(0, m, T):
        for k0 in range(0, d, T):
            for i in range(n):
                for k in range(k0, min(k0 + T, d)):
                    for j in range(j0, min(j0 + T, m)):
                        c[i, j] += a[i, k] * b[k, j]


def tile_the_loops(a, b):
    c = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64)
    multiply(a, b, c)
    return c
