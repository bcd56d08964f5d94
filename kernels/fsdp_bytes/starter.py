import torch
from torch import Tensor


def fsdp_bytes(layers: Tensor, world: int, ahead: int) -> Tensor:
    """Bytes of a rank: a row for each ZeRO stage."""
    total = int(layers.sum())
    # Stage 0 is here. Share out more from row to row,
    # and work out what is whole for a while.
    rows = [[2 * total, 2 * total, 12 * total, 0]] * 4
    return torch.tensor(rows, dtype=torch.int64)
