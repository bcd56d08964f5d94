from bisect import bisect_right
from math import prod

import torch


def cut(extent, parts, innermost):
    last = [[d] for d in range(1, min(extent, innermost) + 1) if extent % d == 0]
    for _ in range(parts - 2):
        last = [
            [d, *t]
            for t in last
            for d in range(1, extent // prod(t) + 1)
            if extent % (d * prod(t)) == 0
        ]
    return [[extent // prod(t), *t] for t in last]


def look(extent, innermost):
    table = {}
    for _, *t in cut(extent, 5, innermost):
        key = t[1], prod(t)
        table[key] = table.get(key, 0) + 1
    return table.items()


def legal_tiles(extents, limits):
    n, m, k = extents
    innermost, least, most, shared = limits
    lengths = sorted(prod(t[1:]) for t in cut(k, 3, innermost))
    columns = look(m, innermost)
    counts = [0, 0, 0, 0]
    for (a, high), x in look(n, innermost):
        for (b, wide), y in columns:
            short = bisect_right(lengths, shared // (4 * (high + wide)))
            kept = least <= a * b <= most
            counts[0] += x * y * len(lengths)
            counts[1] += x * y * len(lengths) * kept
            counts[2] += x * y * short
            counts[3] += x * y * short * kept
    return torch.tensor(counts, dtype=torch.int64)
