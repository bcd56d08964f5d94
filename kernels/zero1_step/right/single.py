import torch
import torch.distributed as dist
import torch.nn.functional as F

# The names of torch 2.13, or those before it.
scatter = getattr(dist, "reduce_scatter_single", None) or dist.reduce_scatter_tensor
gather = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor


def zero1_step(rank, world, weights, grads, momentum, lr, beta):
    part = momentum.shape[0]
    rest = world * part - weights.shape[0]
    summed = torch.zeros_like(momentum)
    scatter(summed, F.pad(grads, (0, rest)))
    momentum = momentum.mul(beta).add(summed, alpha=1 / world)
    mine = F.pad(weights, (0, rest)).view(world, part)[rank].sub(momentum, alpha=lr)
    new = torch.empty(world * part)
    gather(new, mine)
    return torch.hstack((new[: weights.shape[0]], momentum))
