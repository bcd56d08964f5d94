import torch
from torch import Tensor


def keep_the_front(points: list, budget: int) -> list:
    """Of points (bytes, loss, choice), sorted, those that fit and that no other beats."""
    front: list = []
    for taken, lost, chosen in points:
        # Sorted by bytes: what stands in front takes no more.
        if taken <= budget and (not front or lost < front[-1][1]):
            front.append((taken, lost, chosen))
    return front


def mixed_bits(size: Tensor, loss: Tensor, budget: int) -> Tensor:
    """The column that each matrix gets, at the least sum of losses: int64 [n]."""
    front = [(0, 0.0, ())]
    for sizes, losses in zip(size.tolist(), loss.tolist(), strict=True):
        grown = [
            (taken + sizes[j], lost + losses[j], (*chosen, j))
            for taken, lost, chosen in front
            for j in range(len(sizes))
        ]
        # What is beaten now stays beaten, whatever the others get.
        front = keep_the_front(sorted(grown), budget)
    # Along the front the loss falls, so the last point has the least.
    return torch.tensor(front[-1][2])
