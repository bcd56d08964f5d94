# expect: too-many-rounds
import torch
import torch.distributed as dist


def tree_broadcast(rank, world, x, root):
    """A binomial tree whose small branches are served before the large ones."""
    place = (rank - root) % world
    out = x.clone()
    low = place & -place if place else 8
    if place:
        dist.recv(out, (place - low + root) % world)
    bit = 1
    while bit < low:
        if place + bit < world:
            dist.send(out, (place + bit + root) % world)
        bit *= 2
    return out
