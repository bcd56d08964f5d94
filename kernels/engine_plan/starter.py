import torch
from torch import Tensor


def promised(
    target: list[int],
    draft: list[int],
    prompts: Tensor,
    limits: Tensor,
    blocks: int,
    size: int,
    places: int,
    k: int,
    kept: float,
) -> Tensor:
    """The eleven numbers of the plan: float64 [11]."""
    layers, width, heads, kv_heads, hidden, characters = target
    # The calls of the plain loop stand here. Work out
    # the others, each from those before it.
    plain = int(limits.sum())
    return torch.tensor([0, 0, 0, 0, 0, 0, plain, 0, 0, 0, 0], dtype=torch.float64)
