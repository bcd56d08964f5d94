"""No chance: all orders of the first places, the largest tensors first."""

from itertools import islice, permutations

import torch


def shared(tensors, offsets):
    ends = offsets + tensors[:, 0]
    common = torch.minimum(ends[:, None], ends[None]) - torch.maximum(offsets[:, None], offsets[None])
    apart = torch.maximum(tensors[:, None, 1], tensors[None, :, 1]) > torch.minimum(
        tensors[:, None, 2], tensors[None, :, 2]
    )
    common = common.clamp(min=0).masked_fill(apart, 0)
    return common - torch.diag(torch.diagonal(common))


def arena(tensors, alignment):
    rows = tensors.tolist()
    n = len(rows)
    padded = [-(-row[0] // alignment) * alignment for row in rows]
    bound = max(sum(p for p, r in zip(padded, rows, strict=True) if r[1] <= s[1] <= r[2]) for s in rows)
    rest = sorted(range(n), key=lambda i: (-rows[i][0], rows[i][1]))
    best = None
    for depth in range(1, n + 1):
        for head in islice(permutations(rest, depth), 20000):
            order = list(head) + [i for i in rest if i not in head]
            at = fit(rows, alignment, order)
            top = max(a + r[0] for a, r in zip(at, rows, strict=True))
            if best is None or top < best[0]:
                best = top, at
            if best[0] <= 1.05 * bound:
                return torch.tensor(best[1])
    return torch.tensor(best[1])


def fit(rows, alignment, order):
    at = [None] * len(rows)
    for i in order:
        size, first, last = rows[i]
        near = [
            (at[j], at[j] + r[0])
            for j, r in enumerate(rows)
            if at[j] is not None and r[1] <= last and first <= r[2]
        ]
        starts = sorted({0, *(-(-end // alignment) * alignment for _, end in near)})
        at[i] = next(s for s in starts if all(s + size <= b or e <= s for b, e in near))
    return at
