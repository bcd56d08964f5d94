from fractions import Fraction
from math import ceil

import torch


def ridge_batch(model, contexts, gpu):
    weights, bits, attention, token_bytes = model
    peak, bandwidth, memory = gpu
    read_weights = Fraction(weights * bits, 8 * bandwidth)
    out = torch.zeros(len(contexts), 2, dtype=torch.int64)
    for i, c in enumerate(contexts):
        c = int(c)
        compute = Fraction(2 * weights + attention * c, peak)
        read = Fraction(token_bytes * c, bandwidth)
        if compute > read:
            out[i, 0] = ceil(read_weights / (compute - read))
        left = memory - weights * bits // 8
        if left > 0:
            out[i, 1] = left // (token_bytes * c)
    return out
