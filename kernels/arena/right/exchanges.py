"""Exchange two tensors of the order, keep what is no worse, and begin anew now and then."""

import random

import torch


def shared(tensors, offsets):
    n = len(offsets)
    out = torch.zeros((n, n), dtype=torch.int64)
    for i in range(n):
        for j in range(i):
            a, b = tensors[i].tolist(), tensors[j].tolist()
            if max(a[1], b[1]) > min(a[2], b[2]):
                continue
            low = max(int(offsets[i]), int(offsets[j]))
            high = min(int(offsets[i]) + a[0], int(offsets[j]) + b[0])
            out[i, j] = out[j, i] = max(0, high - low)
    return out


def arena(tensors, alignment):
    rows = [tuple(row) for row in tensors.tolist()]
    up = lambda n: (n + alignment - 1) // alignment * alignment  # noqa: E731
    limit = 1.05 * max(
        sum(up(size) for size, a, b in rows if a <= step <= b) for _, step, _ in rows
    )
    rng = random.Random(3)
    order, height, stuck = list(range(len(rows))), None, 0
    while True:
        new = list(order)
        if len(rows) > 1 and height is not None:
            i, j = rng.sample(range(len(rows)), 2)
            new[i], new[j] = new[j], new[i]
        plan = {}
        for t in new:
            size, a, b = rows[t]
            near = [k for k in plan if a <= rows[k][2] and rows[k][1] <= b]
            busy = sorted((plan[k], plan[k] + rows[k][0]) for k in near)
            at = 0
            for begin, end in busy:
                if at + size <= begin:
                    break
                at = max(at, up(end))
            plan[t] = at
        got = max(plan[t] + rows[t][0] for t in plan)
        if got <= limit:
            return torch.tensor([plan[t] for t in range(len(rows))])
        if height is None or got <= height:
            stuck = stuck + 1 if got == height else 0
            order, height = new, got
        else:
            stuck += 1
        if stuck > 60:
            rng.shuffle(order)
            height, stuck = None, 0
