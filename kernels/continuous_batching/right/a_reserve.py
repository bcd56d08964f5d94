from itertools import pairwise

import torch


def waits(arrivals, times):
    first = [written[0] for written in times]
    last = [written[-1] for written in times]
    count = [max(1, len(written) - 1) for written in times]
    longest = [max([0.0, *(b - a for a, b in pairwise(w))]) for w in times]
    first, last = torch.tensor(first).double(), torch.tensor(last).double()
    return torch.stack(
        [first - arrivals, (last - first) / torch.tensor(count), torch.tensor(longest).double()], 1
    )


def admit(waiting, running, free, server):
    """A block stays free for each two that run, so fewer are evicted."""
    chosen = []
    for request in waiting:
        taken = [*chosen, request]
        tokens = len(running) + sum(each.left for each in taken)
        blocks = sum(server.blocks_for(each.left) for each in taken)
        if tokens > server.budget or blocks + len(running) // 2 > free:
            break
        if len(running) + len(taken) > server.places:
            break
        chosen = taken
    return [each.name for each in chosen]
