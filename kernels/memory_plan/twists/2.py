import random

import torch


def live(tensors, alignment):
    rows = tensors.tolist()
    return torch.tensor(
        [
            sum(
                -(-size // alignment) * alignment
                for size, first, last in rows
                if first <= t <= last
            )
            for t in range(1 + max(last for _, _, last in rows))
        ]
    )


def placed(rows, order, alignment):
    offsets = [0] * len(rows)
    for n, i in enumerate(order):
        size, first, last = rows[i]
        near = [j for j in order[:n] if rows[j][1] <= last and first <= rows[j][2]]
        at = 0
        for begin, end in sorted((offsets[j], offsets[j] + rows[j][0]) for j in near):
            if begin - at >= size:
                break
            at = max(at, -(-end // alignment) * alignment)
        offsets[i] = at
    return offsets, max(o + row[0] for o, row in zip(offsets, rows, strict=True))


def plan(tensors, alignment):
    rows, dice = tensors.tolist(), random.Random(40)
    order = sorted(range(len(rows)), key=lambda i: -rows[i][0])
    offsets, peak = placed(rows, order, alignment)
    least = int(live(tensors, alignment).max())
    for _ in range(10):
        if peak <= least:
            break
        a, b = dice.randrange(len(rows)), dice.randrange(len(rows))
        order[a], order[b] = order[b], order[a]
        others, height = placed(rows, order, alignment)
        if height <= peak:
            offsets, peak = others, height
        else:
            order[a], order[b] = order[b], order[a]
    return torch.tensor(offsets)
