import numpy as np
import torch


def count(values, machine):
    shared, registers, threads = machine
    grid = np.array(np.meshgrid(*values, indexing="ij")).reshape(5, -1)
    m, n, k, w, s = grid
    a = 32 * w <= threads
    b = m * n / (32 * w) <= registers - 32
    c = np.where(m >= 64, s, s - 1) * (m + n) * k * 2 <= shared
    return torch.tensor([grid.shape[1], a.sum(), b.sum(), c.sum(), (a & b & c).sum()])
