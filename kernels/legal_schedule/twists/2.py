from itertools import product

import torch


def legal(extents, distances, schedules):
    return torch.tensor([counterexample(extents, distances, t) is None for t in schedules])


def counterexample(extents, distances, schedule):
    rows = schedule.tolist()
    points = list(product(*(range(e) for e in extents.tolist())))
    time = {p: [sum(a * b for a, b in zip(r, p, strict=True)) for r in rows] for p in points}
    for p in reversed(points):
        for x in distances.tolist():
            q = tuple(a + b for a, b in zip(p, x, strict=True))
            if q in time and time[p] >= time[q]:
                return p, q
    return None
