import torch
import torch.distributed as dist


def ring_allreduce(rank, world, x):
    got = torch.empty_like(x)
    work = dist.isend(x, (rank + 1) % world)
    dist.recv(got, (rank - 1) % world)
    work.wait()
    return x + got
