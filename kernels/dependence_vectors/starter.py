import torch
from torch import Tensor

NONE, FLOW, ANTI = range(3)


def dependence_vectors(extents, strides, write, reads) -> Tensor:
    """A row (kind, distance) for each read: int64 [reads, 1 + d]."""
    rows = []
    for _read in reads:
        # Who writes the cell that another iteration
        # reads? Who is first?
        rows.append([NONE] + [0] * len(extents))
    return torch.tensor(rows)
