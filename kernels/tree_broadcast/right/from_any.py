import torch.distributed as dist


def tree_broadcast(rank, world, x, root):
    """Receive from whoever sends, then give on to all places that are this one's to serve."""
    place = (rank - root) % world
    step = 1
    if place:
        dist.recv(x)
        step = 1 << place.bit_length()
    waiting = []
    while place + step < world:
        waiting.append(dist.isend(x, (place + step + root) % world))
        step *= 2
    for each in waiting:
        each.wait()
    return x
