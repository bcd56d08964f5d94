import torch
import torch.distributed as dist


def $slug(rank, world, x):
    got = torch.empty_like(x)
    # A send waits until the other side receives, so it is only begun here.
    work = dist.isend(x, (rank + 1) % world)
    dist.recv(got, (rank - 1) % world)
    work.wait()
    return got
