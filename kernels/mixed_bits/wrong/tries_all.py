# expect: timeout
import itertools

import torch


def mixed_bits(size, loss, budget):
    """Try every choice."""
    sizes, losses = size.tolist(), loss.tolist()
    best = None
    for choice in itertools.product(range(size.shape[1]), repeat=len(sizes)):
        taken = sum(row[j] for row, j in zip(sizes, choice))
        if taken <= budget:
            lost = sum(row[j] for row, j in zip(losses, choice))
            if best is None or (lost, taken) < best[:2]:
                best = lost, taken, choice
    return torch.tensor(best[2])
