import torch


def bubbles(plans):
    stages, microbatches, forward, backward = plans.unbind(1)
    work = microbatches * (forward + backward)
    time = work + (stages - 1) * (forward + backward)
    return torch.stack([time, 1 - work / time, time / work - 1], 1)


def orders(stages, microbatches):
    out = []
    for stage in range(stages):
        order, forwards, backwards = [], 0, 0
        while backwards < microbatches:
            if forwards < microbatches and forwards - backwards < stages - stage:
                order.append(f"F{forwards}")
                forwards += 1
            else:
                order.append(f"B{backwards}")
                backwards += 1
        out.append(order)
    return out
