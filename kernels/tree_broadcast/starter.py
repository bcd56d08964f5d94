import torch
import torch.distributed as dist


def tree_broadcast(rank, world, x, root):
    # Here rank 0 is the root and sends to each other
    # rank. It sends in every round, while all others
    # have nothing to do but to wait. Who could help?
    if rank == 0:
        for other in range(1, world):
            dist.send(x, other)
        return x
    out = torch.empty_like(x)
    dist.recv(out, 0)
    return out
