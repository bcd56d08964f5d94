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
    n, part = len(weights), len(momentum)
    flat = grads.new_zeros(world, part)
    flat.view(-1)[:n] = grads
    out = weights.new_zeros(n + part)
    dist.reduce_scatter(out[n:], list(flat))
    out[n:] = out[n:] / world + beta * momentum
    own = weights.new_zeros(part)
    mine = weights[rank * part : (rank + 1) * part]
    own[: len(mine)] = mine
    own -= lr * out[n:]
    dist.all_gather(list(flat), own)
    out[:n] = flat.view(-1)[:n]
    return out
