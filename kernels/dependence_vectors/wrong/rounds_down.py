# expect: wrong-values
import torch

NONE, FLOW, ANTI = range(3)


def dependence_vectors(
    extents: torch.Tensor, strides: torch.Tensor, write: torch.Tensor, reads: torch.Tensor
) -> torch.Tensor:
    """A row (kind, distance) for each read: int64 [reads, 1 + d]."""
    rows = []
    for read in reads:
        constants = (write - read).tolist()
        rows.append(row(constants, strides.tolist(), extents.tolist()))
    return torch.tensor(rows)


def row(constants: list[int], strides: list[int], extents: list[int]) -> list[int]:
    zero = [0] * len(extents)
    distance = []
    for c, s, e in zip(constants, strides, extents):
        if abs(c // s) >= e:
            return [NONE, *zero]
        distance.append(c // s)
    if distance == zero:
        return [NONE, *zero]
    if distance > zero:
        return [FLOW, *distance]
    return [ANTI, *(-x for x in distance)]
