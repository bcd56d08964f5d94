import torch

NONE, FLOW, ANTI = range(3)


def dependence_vectors(
    extents: torch.Tensor, strides: torch.Tensor, write: torch.Tensor, reads: torch.Tensor
) -> torch.Tensor:
    """A row (kind, distance) for each read: int64 [reads, 1 + d]."""
    rows = []
    for _read in reads:
        # Which iterations write the cell that another one reads, and which comes first?
        rows.append([NONE] + [0] * len(extents))
    return torch.tensor(rows)
