import torch
import torch.distributed as dist


def $slug(rank, world, x):
    got = torch.empty_like(x)
    # Send x on, and receive from the rank before.
    dist.send(x, (rank + 1) % world)
    return got
