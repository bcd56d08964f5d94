import torch
from torch import Tensor


def pick_tactics(
    layers: list, reformats: list, first: str, last: str, limit: int
) -> Tensor:
    """A tactic for each layer, the fastest plan: int64 [layers]."""
    copies = {(before, after): time for before, after, time in reformats}
    choices = []
    form = first
    for tactics in layers:
        # The cheapest next step from where we are: it
        # sees the copy in front, and nothing behind.
        # Which plans have to be kept beside it?
        costs = []
        for reads, _makes, time, _workspace in tactics:
            copy = 0 if form == reads else copies[form, reads]
            costs.append(copy + time)
        at = costs.index(min(costs))
        choices.append(at)
        form = tactics[at][1]
    return torch.tensor(choices)
