import torch

TI, TJ, TK = 16, 8, 8


def multiply(a, b, c):
    (n, d), m = a.shape, b.shape[1]
    for i0 in range(0, n, TI):
        for j0 in range(0, m, TJ):
            for k0 in range(0, d, TK):
                for i in range(i0, min(i0 + TI, n)):
                    for k in range(k0, min(k0 + TK, d)):
                        for j in range(j0, min(j0 + TJ, m)):
                            c[i, j] += a[i, k] * b[k, j]


def tile_the_loops(a, b):
    c = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64)
    multiply(a, b, c)
    return c
