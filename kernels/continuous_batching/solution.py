from itertools import pairwise

import torch
from torch import Tensor


def waits(arrivals: Tensor, times: list[list[float]]) -> Tensor:
    """TTFT, TPOT and longest gap of each request: float64 [n, 3]."""
    rows = []
    for arrived, written in zip(arrivals.tolist(), times, strict=True):
        gaps = [later - one for one, later in pairwise(written)]
        # n tokens have n - 1 gaps. The wait for the first one is no gap.
        tpot = sum(gaps) / len(gaps) if gaps else 0.0
        rows.append([written[0] - arrived, tpot, max(gaps, default=0.0)])
    return torch.tensor(rows, dtype=torch.float64)


def admit(waiting: list, running: list, free: int, server) -> list[str]:
    """The names of those that begin to run in this step."""
    names = []
    # Each running request takes a token of the budget, and has its place.
    room = server.budget - len(running)
    places = server.places - len(running)
    for request in waiting:
        blocks = server.blocks_for(request.left)
        # Stop at the first that does not fit: if later ones passed it, it could wait for ever.
        if request.left > room or blocks > free or places == 0:
            break
        names.append(request.name)
        room -= request.left
        free -= blocks
        places -= 1
    return names
