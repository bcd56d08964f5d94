import torch
from torch import distributed as dist


def ring_allreduce(rank, world, x):
    """Two loops; the recv is begun first, and sums are made in place."""
    total = x.clone()
    chunk = -(-total.numel() // world)
    pieces = [total[i * chunk : (i + 1) * chunk] for i in range(world)]
    nxt, prv = (rank + 1) % world, (rank + world - 1) % world

    def pass_on(sent, received):
        into = torch.empty_like(pieces[received])
        handle = dist.irecv(into, src=prv)
        dist.send(pieces[sent], dst=nxt)
        handle.wait()
        return into

    at = rank
    for _ in range(world - 1):
        below = (at - 1) % world
        pieces[below] += pass_on(at, below)
        at = below
    for _ in range(world - 1):
        below = (at - 1) % world
        pieces[below].copy_(pass_on(at, below))
        at = below
    return total
