import math

import torch


def fsdp_bytes(layers, world, ahead):
    """Play backward, from the last layer to the first."""
    left = [int(n) for n in layers]
    full = sum(left)
    cut = sum(math.ceil(n / world) if n < 2**40 else -(-n // world) for n in left)
    worst_2 = worst_3 = 0
    while left:
        now = left[-1]
        coming = left[:-1][::-1][:ahead]
        worst_2 = max(worst_2, 2 * now)
        worst_3 = max(worst_3, 2 * now + 2 * now + 2 * sum(coming))
        left.pop()
    table = [(full, full, full, 0), (full, full, cut, 0), (full, cut, cut, worst_2)]
    table.append((cut, cut, cut, worst_3))
    return torch.tensor(table) * torch.tensor([2, 2, 12, 1])
