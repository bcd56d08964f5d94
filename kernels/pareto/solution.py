import torch
from torch import Tensor


def pareto(points: Tensor, smaller: Tensor) -> Tensor:
    """Return the place of each row on the front, -1 beside it."""
    # Less is better in every column from here on.
    less = torch.where(smaller, points, -points)
    # Row a against row b. A comparison with NaN is false.
    a, b = less[:, None], less[None]
    beats = (a <= b).all(-1) & (a < b).any(-1)
    stays = ~beats.any(0) & ~less.isnan().any(-1)
    rows = stays.nonzero().flatten()
    rows = rows[torch.argsort(less[rows, 0], stable=True)]
    places = torch.full((len(points),), -1)
    places[rows] = torch.arange(len(rows))
    return places
