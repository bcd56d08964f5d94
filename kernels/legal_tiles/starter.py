import torch


def tiles(extent, parts, innermost):
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
    rows = list(tiles(n, 5, innermost))
    columns = list(tiles(m, 5, innermost))
    lengths = list(tiles(k, 3, innermost))
    # Write it: how many tiles of a loop look the same
    # to both rules? Then count by such groups.
    count = len(rows) * len(columns) * len(lengths)
    return torch.tensor([count] * 4)
