import math
from collections import Counter

import torch


def tiles(extent: int, parts: int, innermost: int):
    """Each tile of a loop, as a tuple of factors."""
    if parts == 1:
        if extent <= innermost:
            yield (extent,)
        return
    for first in range(1, extent + 1):
        if extent % first == 0:
            rest = tiles(extent // first, parts - 1, innermost)
            yield from ((first, *others) for others in rest)


def legal_tiles(extents: list, limits: list) -> torch.Tensor:
    """[all, threads, shared memory, both], int64."""
    innermost, least, most, shared = limits
    n, m, k = extents
    # Of a tile the rules read two numbers: its threads, and what a block has of the loop. Tiles with
    # the same two numbers are alike to the rules, so their number is all that has to be known.
    rows = Counter((t[2], math.prod(t[1:])) for t in tiles(n, 5, innermost))
    columns = Counter((t[2], math.prod(t[1:])) for t in tiles(m, 5, innermost))
    lengths = Counter(t[1] * t[2] for t in tiles(k, 3, innermost))
    counts = [0] * 4
    for (a, high), x in rows.items():
        for (b, wide), y in columns.items():
            few = least <= a * b <= most
            for long, z in lengths.items():
                number = x * y * z
                small = 4 * (high + wide) * long <= shared
                for place, kept in enumerate((True, few, small, few and small)):
                    counts[place] += number * kept
    return torch.tensor(counts)
