import math

import torch


def beaten_by(one, other):
    pairs = list(zip(other, one, strict=False))
    return all(x <= y for x, y in pairs) and other != one


def pareto(points, smaller):
    good = []
    for number, row in enumerate(points.tolist()):
        if not any(map(math.isnan, row)):
            good.append((number, [x if s else -x for x, s in zip(row, smaller.tolist(), strict=False)]))
    kept = [(row[0], n) for n, row in good if not any(beaten_by(row, other) for _, other in good)]
    front = [n for _, n in sorted(kept)]
    return torch.tensor([front.index(n) if n in front else -1 for n in range(len(points))])
