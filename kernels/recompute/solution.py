import torch
from torch import Tensor


def recompute(reads: Tensor, size: Tensor, time: Tensor, wanted: Tensor, budget: int) -> Tensor:
    """Which values to keep for the backward, at least time to compute the others again: bool [n]."""
    count = len(size)
    # Every set of values is a row: bit i of its number says whether value i is kept.
    kept = torch.arange(2**count)[:, None] >> torch.arange(count) & 1 == 1
    again = torch.zeros_like(kept)
    # From the last value to the first: who reads a value is known when its turn comes.
    for value in reversed(range(count)):
        asked = (again & reads[:, value]).any(1) | wanted[value]
        again[:, value] = asked & ~kept[:, value]
    taken = (kept * size).sum(1)
    cost = (again * time).sum(1)
    cost[taken > budget] = float("inf")
    # Of the sets that cost least, the one that takes the fewest bytes.
    least = (cost == cost.min()).nonzero().flatten()
    return kept[least[taken[least].argmin()]]
