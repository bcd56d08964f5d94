import torch
import torch.distributed as dist


def mlp_step(rank, world, x, w1, b1, w2, b2, target):
    h = torch.tanh(torch.addmm(b1, x, w1.T))
    y = h @ w2.T
    if rank == world - 1:
        y += b2
    dist.all_reduce(y)
    dy = y - target
    dz = (dy @ w2) * (1 - h * h)
    dx = dz @ w1
    dist.all_reduce(dx)
    return torch.cat([t.reshape(-1) for t in (y, dx, dz.T @ x, dz.sum(0), dy.T @ h, dy.sum(0))])
