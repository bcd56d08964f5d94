from itertools import chain, combinations

import torch


def again(kept, reads, wanted):
    """The values that are computed again, walking back from what the backward reads."""
    found, open_ = set(), [v for v in wanted if v not in kept]
    while open_:
        value = open_.pop()
        if value not in found:
            found.add(value)
            open_ += [v for v in reads[value] if v not in kept]
    return found


def recompute(reads, size, time, wanted, budget):
    n = size.numel()
    names = [[j for j in range(n) if reads[i, j]] for i in range(n)]
    asked = [i for i in range(n) if wanted[i]]
    size, time = size.tolist(), time.tolist()
    sets = chain.from_iterable(combinations(range(n), k) for k in range(n + 1))
    fitting = (s for s in sets if sum(size[v] for v in s) <= budget)

    def price(kept):
        return sum(time[v] for v in again(kept, names, asked)), sum(size[v] for v in kept)

    kept = min(fitting, key=price)
    return torch.tensor([value in kept for value in range(n)])
