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
    # Plain data parallel would do this, and keep the
    # whole momentum on each rank:
    mean = grads.clone()
    dist.all_reduce(mean)
    mean /= world
    part = momentum.numel()
    mine = beta * momentum + mean[:part]
    return torch.cat([weights - lr * mean, mine])
