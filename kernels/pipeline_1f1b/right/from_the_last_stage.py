import torch


def bubbles(plans):
    stages = plans.select(1, 0)
    microbatches = plans.select(1, 1)
    rounds = stages + microbatches - 1
    time = rounds * (plans[:, 2] + plans[:, 3])
    return torch.column_stack((time, (stages - 1) / rounds, (stages - 1) / microbatches))


def earlier(order):
    """Move each forward in front of the backward before it: the order of the stage in front."""
    out = list(order)
    for at in range(1, len(out)):
        if out[at][0] == "F" and out[at - 1][0] == "B":
            out[at - 1], out[at] = out[at], out[at - 1]
    return out


def orders(stages, microbatches):
    order = []
    for m in range(microbatches):
        order += ["F" + str(m), "B" + str(m)]
    out = [order]
    for _ in range(stages - 1):
        out.insert(0, earlier(out[0]))
    return out
