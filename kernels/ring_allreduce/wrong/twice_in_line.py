# expect: too-much-sent
import torch
import torch.distributed as dist


def ring_allreduce(rank, world, x):
    """The sum walks once around as a whole, then the whole sum does."""
    after, before = (rank + 1) % world, (rank - 1) % world
    if world == 1:
        return x
    if rank:
        got = torch.empty_like(x)
        dist.recv(got, before)
        x = x + got
    dist.send(x, after)
    if rank == world - 1:
        return x
    total = torch.empty_like(x)
    dist.recv(total, before)
    if rank < world - 2:
        dist.send(total, after)
    return total
