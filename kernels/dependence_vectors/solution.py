import torch

NONE, FLOW, ANTI = range(3)


def dependence_vectors(
    extents: torch.Tensor, strides: torch.Tensor, write: torch.Tensor, reads: torch.Tensor
) -> torch.Tensor:
    """A row (kind, distance) for each read: int64 [reads, 1 + d]."""
    rows = []
    for read in reads:
        # p writes what q reads: s*p + w = s*q + r, so q - p = (w - r) / s in each index.
        constants = (write - read).tolist()
        rows.append(row(constants, strides.tolist(), extents.tolist()))
    return torch.tensor(rows)


def row(constants: list[int], strides: list[int], extents: list[int]) -> list[int]:
    """The kind and the distance of one read, from w - r."""
    zero = [0] * len(extents)
    distance = []
    for c, s, e in zip(constants, strides, extents, strict=False):
        # A remainder: the write hits only cells that the read skips. Too far: p or q would lie
        # outside the loops.
        if c % s or abs(c // s) >= e:
            return [NONE, *zero]
        distance.append(c // s)
    if distance == zero:  # one and the same iteration: nothing between iterations
        return [NONE, *zero]
    # Lists compare lexicographically, as iterations do.
    if distance > zero:
        return [FLOW, *distance]
    return [ANTI, *(-x for x in distance)]
