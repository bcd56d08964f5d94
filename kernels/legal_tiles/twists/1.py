import torch


def factors(extent, parts, innermost):
    if parts == 1:
        return [[extent]] if extent <= innermost else []
    found = []
    for first in range(1, extent + 1):
        if extent % first == 0:
            found += [[first, *rest] for rest in factors(extent // first, parts - 1, innermost)]
    return found


def legal_tiles(extents, limits):
    innermost, least, most, shared = limits
    groups = []
    for extent in extents[:2]:
        t = torch.tensor(factors(extent, 5, innermost))
        groups.append(torch.stack((t[:, 2], t[:, 1:].prod(1))).unique(dim=1, return_counts=True))
    t = torch.tensor(factors(extents[2], 3, innermost))
    lengths, times = (t[:, 1] * t[:, 2]).unique(return_counts=True)
    (rows, x), (columns, y) = groups
    threads = rows[0].reshape(-1, 1, 1) * columns[0].reshape(1, -1, 1)
    size = 4 * (rows[1].reshape(-1, 1, 1) + columns[1].reshape(1, -1, 1)) * lengths
    number = x.reshape(-1, 1, 1) * y.reshape(1, -1, 1) * times
    few = (threads >= least) & (threads <= most)
    small = size <= shared
    everything = torch.ones_like(small)
    return torch.stack(
        [(number * kept).sum() for kept in (everything, few.expand_as(small), small, few & small)]
    )
