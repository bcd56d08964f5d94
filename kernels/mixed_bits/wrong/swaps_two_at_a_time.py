# expect: wrong-values
import itertools

import torch


def mixed_bits(size, loss, budget):
    """Change one or two matrices at a time as long as that helps."""
    sizes, losses = size.tolist(), loss.tolist()
    n, k = size.shape
    chosen = size.argmin(1).tolist()
    better = True
    while better:
        better = False
        now = (sum(losses[i][c] for i, c in enumerate(chosen)), sum(sizes[i][c] for i, c in enumerate(chosen)))
        for a, b in itertools.combinations_with_replacement(range(n), 2):
            for x, y in itertools.product(range(k), repeat=2):
                if a == b and x != y:
                    continue
                taken, lost = now[1], now[0]
                for i, j in {(a, x), (b, y)}:
                    taken += sizes[i][j] - sizes[i][chosen[i]]
                    lost += losses[i][j] - losses[i][chosen[i]]
                if taken <= budget and (lost, taken) < now:
                    chosen[a], chosen[b] = x, y
                    now, better = (lost, taken), True
    return torch.tensor(chosen)
