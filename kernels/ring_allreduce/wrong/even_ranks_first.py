# expect: too-many-rounds
import torch
import torch.distributed as dist


def ring_allreduce(rank, world, x):
    after, before = (rank + 1) % world, (rank - 1) % world
    parts = list(x.tensor_split(world))
    for step in range(2 * (world - 1)):
        given, taken = (rank - step) % world, (rank - step - 1) % world
        got = torch.empty_like(parts[taken])
        if rank % 2 == 0:
            dist.send(parts[given], after)
            dist.recv(got, before)
        else:
            dist.recv(got, before)
            dist.send(parts[given], after)
        parts[taken] = parts[taken] + got if step < world - 1 else got
    return torch.cat(parts)
