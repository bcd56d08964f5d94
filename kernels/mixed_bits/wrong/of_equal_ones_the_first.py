# expect: wrong-values
import numpy as np
import torch


def mixed_bits(size, loss, budget):
    """A table of bytes; where two are equal the first column stays."""
    sizes, losses = size.numpy(), loss.numpy()
    least = np.zeros(budget + 1)
    ways = []
    for row in range(len(sizes)):
        new = np.full(budget + 1, np.inf)
        way = np.zeros(budget + 1, dtype=np.int64)
        for j, taken in enumerate(sizes[row].tolist()):
            if taken > budget:
                continue
            candidate = np.full(budget + 1, np.inf)
            candidate[taken:] = least[: budget + 1 - taken] + losses[row, j]
            way = np.where(candidate < new, j, way)
            new = np.minimum(new, candidate)
        least = new
        ways.append(way)
    left, chosen = budget, []
    for row in reversed(range(len(sizes))):
        chosen.append(int(ways[row][left]))
        left -= int(sizes[row, chosen[-1]])
    return torch.tensor(chosen[::-1])
