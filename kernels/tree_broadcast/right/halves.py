import torch.distributed as dist


def serve(first, last, place, data, rank_of):
    """Hand what the place `first` has to the places up to `last`."""
    if last - first < 2:
        return
    middle = (first + last) // 2
    if place == first:
        dist.send(data, rank_of(middle))
    elif place == middle:
        dist.recv(data, rank_of(first))
    if place < middle:
        serve(first, middle, place, data, rank_of)
    else:
        serve(middle, last, place, data, rank_of)


def tree_broadcast(rank, world, x, root):
    data = x.clone()
    serve(0, world, (rank - root) % world, data, lambda place: (place + root) % world)
    return data
