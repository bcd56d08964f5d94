import torch
import torch.distributed as dist
from torch import Tensor


def zero1_step(
    rank: int,
    world: int,
    weights: Tensor,
    grads: Tensor,
    momentum: Tensor,
    lr: float,
    beta: float,
) -> Tensor:
    """The new weights, then this rank's new momentum."""
    n, part = weights.numel(), momentum.numel()
    # All ranks need parts of one length.
    padding = torch.zeros(world * part - n)
    parts = list(torch.cat([grads, padding]).split(part))
    mine = torch.empty(part)
    # After this the sum of my part is here, and no other rank's.
    dist.reduce_scatter(mine, parts)
    moved = beta * momentum + mine / world
    own = torch.cat([weights, padding])[rank * part : (rank + 1) * part]
    own = own - lr * moved
    everybody = [torch.empty(part) for _ in range(world)]
    dist.all_gather(everybody, own)
    return torch.cat([torch.cat(everybody)[:n], moved])
