import functools

import torch


def mixed_bits(size, loss, budget):
    sizes, losses = size.tolist(), loss.tolist()
    least = [0]
    for row in reversed(sizes):
        least.insert(0, least[0] + min(row))

    @functools.cache
    def best(row, left):
        if row == len(sizes):
            return 0.0, 0, None
        found = []
        for j, (taken, lost) in enumerate(zip(sizes[row], losses[row], strict=False)):
            if taken + least[row + 1] <= left:
                rest = best(row + 1, left - taken)
                found.append((lost + rest[0], taken + rest[1], j))
        return min(found)

    chosen, left = [], budget
    for row in range(len(sizes)):
        chosen.append(best(row, left)[2])
        left -= sizes[row][chosen[-1]]
    return torch.tensor(chosen)
