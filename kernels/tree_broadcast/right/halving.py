import torch
from torch import distributed as dist


def tree_broadcast(rank, world, x, root):
    """The largest distance first."""
    me = (rank + world - root) % world
    data = x.clone() if me == 0 else torch.zeros_like(x)
    gap = 1 << max(0, world - 1).bit_length()
    while gap > 1:
        half = gap // 2
        if me % gap == 0 and me + half < world:
            dist.isend(data, dst=(me + half + root) % world).wait()
        if me % gap == half:
            dist.irecv(data, src=(me - half + root) % world).wait()
        gap = half
    return data
