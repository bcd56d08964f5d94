import torch
import torch.distributed as dist


def ring_allreduce(rank, world, x):
    after, before = (rank + 1) % world, (rank - 1) % world
    parts = list(x.tensor_split(world))
    for step in range(2 * (world - 1)):
        given, taken = (rank - step) % world, (rank - step - 1) % world
        # A send ends when the other side receives. All would wait for each other if they did not
        # receive while they send.
        work = dist.isend(parts[given], after)
        got = torch.empty_like(parts[taken])
        dist.recv(got, before)
        work.wait()
        # In the first half a part gathers the numbers of each rank that it comes by. Then it is
        # whole, and takes the place of what is there.
        parts[taken] = parts[taken] + got if step < world - 1 else got
    return torch.cat(parts)
