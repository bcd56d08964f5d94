import torch
import torch.distributed as dist


def cut(vector, world, part):
    """Return `world` parts of equal length, the rest zeros."""
    parts = torch.zeros(world, part)
    for r in range(world):
        piece = vector[r * part : (r + 1) * part]
        parts[r, : len(piece)] = piece
    return parts


def zero1_step(rank, world, weights, grads, momentum, lr, beta):
    part = momentum.numel()
    g = torch.empty_like(momentum)
    work = dist.reduce_scatter(g, [p / world for p in cut(grads, world, part)], async_op=True)
    own = cut(weights, world, part)[rank]
    work.wait()
    momentum = torch.add(g, momentum, alpha=beta)
    gathered = [torch.zeros(part) for _ in range(world)]
    work = dist.all_gather(gathered, own - momentum * lr, async_op=True)
    work.wait()
    weights = torch.stack(gathered).flatten()[: len(weights)]
    return torch.cat((weights, momentum))
