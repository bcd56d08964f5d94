# expect: too-many-rounds
import torch
import torch.distributed as dist


def tree_broadcast(rank, world, x, root):
    """A binary tree: each place has two children, the root too."""
    place = (rank - root) % world
    out = x.clone()
    if place:
        dist.recv(out, ((place - 1) // 2 + root) % world)
    for child in (2 * place + 1, 2 * place + 2):
        if child < world:
            dist.send(out, (child + root) % world)
    return out
