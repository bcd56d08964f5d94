import torch
from torch import Tensor


def pareto(points: Tensor, smaller: Tensor) -> Tensor:
    """Return the place of each row on the front, or -1."""
    # So far: one sweep along column 0, as if there
    # were two columns, and less were always better.
    places, least = torch.full((len(points),), -1), float("inf")
    for row in torch.argsort(points[:, 0]).tolist():
        second = points[row, -1].item()
        if second < least:
            places[row] = int(places.max()) + 1
            least = second
    return places
