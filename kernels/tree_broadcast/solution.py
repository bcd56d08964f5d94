import torch
import torch.distributed as dist


def tree_broadcast(rank, world, x, root):
    # Places are counted from the root, so that it has place 0 whichever rank it is.
    place = (rank - root) % world
    out = x if place == 0 else torch.empty_like(x)
    have = 1  # places 0 to have - 1 hold the vector
    while have < world:
        if place < have:
            # Each that has it gives it to one that has not, if there is one.
            if place + have < world:
                dist.send(out, (place + have + root) % world)
        elif place < 2 * have:
            dist.recv(out, (place - have + root) % world)
        have *= 2
    return out
