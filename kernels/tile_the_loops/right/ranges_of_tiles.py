from itertools import product

import torch


def pieces(extent, size):
    return [range(at, min(at + size, extent)) for at in range(0, extent, size)]


def multiply(a, b, c):
    n, d = a.shape
    tiles = product(pieces(b.shape[1], 8), pieces(n, 8), pieces(d, 8))
    for js, iis, ks in tiles:
        for i, j, k in product(iis, js, ks):
            c[i, j] = c[i, j] + a[i, k] * b[k, j]


def tile_the_loops(a, b):
    c = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64)
    multiply(a, b, c)
    return c
