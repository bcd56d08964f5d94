import torch
import torch.distributed as dist
from torch import Tensor


def mlp_step(
    rank: int, world: int, x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, target: Tensor
) -> Tensor:
    """y, and the gradients by x, w1, b1, w2 and b2, flattened and joined."""
    leaves = [each.detach().requires_grad_() for each in (x, w1, b1, w2)]
    # The rank's hidden units are whole, so tanh needs no other rank.
    hidden = torch.tanh(leaves[0] @ leaves[1].T + leaves[2])
    # Each number of y is a sum over hidden units; these are the terms of this rank's units.
    part = hidden @ leaves[3].T
    y = part.detach().clone()
    dist.all_reduce(y)
    # The bias is no term of a rank: it comes after the sum.
    y = y + b2
    dy = y - target
    # The gradient by y is also that by each part: a sum passes it on as it is.
    dx, dw1, db1, dw2 = torch.autograd.grad(part, leaves, dy)
    # x went to all ranks, so its gradient is the sum of what comes back from them.
    dist.all_reduce(dx)
    results = y, dx, dw1, db1, dw2, dy.sum(0)
    return torch.cat([each.flatten() for each in results])
