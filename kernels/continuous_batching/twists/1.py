from itertools import accumulate, pairwise, takewhile

import torch


def waits(arrivals, times):
    rows = []
    for arrived, written in zip(arrivals.tolist(), times, strict=True):
        gaps = [later - one for one, later in pairwise(written)]
        tpot = sum(gaps) / len(gaps) if gaps else 0.0
        rows.append([written[0] - arrived, tpot, max(gaps, default=0.0)])
    return torch.tensor(rows, dtype=torch.float64)


def tokens_of(request):
    return request.left


def name_of(need):
    return need[0].name


def admit(waiting, running, free, server):
    def blocks_of(request):
        return server.blocks_for(request.left)

    tokens, blocks = accumulate(map(tokens_of, waiting)), accumulate(map(blocks_of, waiting))
    room, places = server.budget - len(running), server.places - len(running)
    needs = zip(waiting[: max(0, places)], tokens, blocks, strict=False)
    fitting = takewhile(lambda need: need[1] <= room and need[2] <= free, needs)
    return list(map(name_of, fitting))
