import math

import torch

RIDGE, SMALLEST = 206.04, 1024
COUNTS = {
    "relu": lambda n: (n, 2 * n),
    "add": lambda n: (n, 3 * n),
    "bias": lambda r, c: (r * c, (2 * r + 1) * c),
    "row_sum": lambda r, c: (r * c, r * (c + 1)),
    "softmax": lambda r, c: (5 * r * c, 2 * r * c),
    "matvec": lambda m, k: (2 * m * k, m * k + k + m),
    "matmul": lambda m, n, k: (2 * m * n * k, m * k + k * n + m * n),
    "naive_matmul": lambda m, n, k: (2 * m * n * k, m * n * (2 * k + 1)),
    "chain": lambda n, steps: (steps * n, 2 * n),
    "eager_chain": lambda n, steps: (steps * n, 2 * n * steps),
}


def place(op, sizes, itemsize, peak, bandwidth):
    flops, numbers = COUNTS[op](*sizes)
    slack = math.log(flops / (numbers * itemsize)) - math.log(peak / bandwidth)
    return torch.tensor([flops, numbers * itemsize, slack >= -1e-12], dtype=torch.int64)
