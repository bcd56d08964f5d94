from itertools import accumulate

import torch


def waits(arrivals, times):
    out = torch.zeros(len(times), 3, dtype=torch.float64)
    for row, written in enumerate(times):
        at = torch.tensor(written, dtype=torch.float64)
        out[row, 0] = at[0] - arrivals[row]
        if len(at) > 1:
            gaps = at.diff()
            out[row, 1], out[row, 2] = gaps.mean(), gaps.max()
    return out


def admit(waiting, running, free, server):
    tokens = accumulate((each.left for each in waiting), initial=len(running))
    blocks = accumulate(server.blocks_for(each.left) for each in waiting)
    next(tokens)
    fitting = 0
    for count, (t, b) in enumerate(zip(tokens, blocks, strict=True), len(running) + 1):
        if t > server.budget or b > free or count > server.places:
            break
        fitting += 1
    return [each.name for each in waiting[:fitting]]
