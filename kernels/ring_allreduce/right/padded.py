import torch.distributed as dist
import torch.nn.functional as F


def ring_allreduce(rank, world, x):
    """Equal rows after padding with zeros."""
    width = (len(x) + world - 1) // world
    rows = F.pad(x, (0, width * world - len(x))).view(world, width)
    mine = rank
    for turn in range(2 * world - 2):
        theirs = mine - 1 if mine else world - 1
        arrived = rows.new_empty(width)
        sending = dist.isend(rows[mine].clone(), (rank + 1) % world)
        receiving = dist.irecv(arrived, (rank - 1) % world)
        receiving.wait()
        sending.wait()
        if turn + 1 < world:
            arrived = arrived + rows[theirs]
        rows[theirs] = arrived
        mine = theirs
    return rows.flatten()[: len(x)]
