# expect: forbidden-message
import torch
import torch.distributed as dist


def swap(out, like, to, source):
    got = torch.empty_like(like)
    work = dist.isend(out, to)
    dist.recv(got, source)
    work.wait()
    return got


def ring_allreduce(rank, world, x):
    """Each part goes straight to the rank that adds it up, and from there to all."""
    parts = list(x.tensor_split(world))
    own = parts[rank]
    for k in range(1, world):
        to, source = (rank + k) % world, (rank - k) % world
        own = own + swap(parts[to], own, to, source)
    parts[rank] = own
    for k in range(1, world):
        to, source = (rank + k) % world, (rank - k) % world
        parts[source] = swap(own, parts[source], to, source)
    return torch.cat(parts)
