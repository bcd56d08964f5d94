from math import ceil

import torch


def row(s, stages, replicas, microbatches, tokens, width, weights, saved):
    """What a rank of stage `s` keeps and sends."""
    neighbours = len({s - 1, s + 1} & set(range(stages)))
    alive = min(microbatches, stages - s)
    messages = neighbours * microbatches
    part = ceil(weights / replicas)
    handed = 0 if replicas == 1 else (part * replicas + part) * 8
    sent = messages * tokens * width * 8
    flop = 6 * weights * tokens * microbatches
    return [
        alive,
        alive * saved,
        weights * 8 * 2,
        part * 8 * 2,
        sent,
        handed,
        messages,
        sent + handed,
        flop,
    ]


def plan(stages, replicas, microbatches, tokens, width, weights, saved):
    rows = [
        row(s, stages, replicas, microbatches, tokens, width, weights[s], saved[s])
        for s in range(stages)
    ]
    slots = microbatches + stages - 1
    head = [3.0 * slots, (slots - microbatches) / slots]
    return torch.tensor(head + [float(max(column)) for column in zip(*rows, strict=True)]).double()
