import torch
from torch import Tensor


def live(tensors: Tensor, alignment: int) -> Tensor:
    """Bytes alive at each step: int64 [steps]."""
    # Count each tensor at the steps of its life.
    return torch.zeros(int(tensors[:, 2].max()) + 1, dtype=torch.int64)


def plan(tensors: Tensor, alignment: int) -> Tensor:
    """An offset for each tensor: int64 [n]."""
    offsets, at = [], 0
    for size, _first, _last in tensors.tolist():
        # Each has its own place here, whether another
        # one is still alive or not. Write a plan.
        offsets.append(at)
        at += -(-size // alignment) * alignment
    return torch.tensor(offsets)
