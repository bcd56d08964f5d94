import torch
from torch import Tensor


def fsdp_bytes(layers: Tensor, world: int, ahead: int) -> Tensor:
    """Bytes of a rank, without a loop."""
    n = layers.numel()
    sums = torch.cat([torch.zeros(1, dtype=torch.int64), layers.cumsum(0)])
    place = torch.arange(n)
    gathered = sums[place + 1] - sums[(place - ahead).clamp(min=0)]
    whole, part = layers.sum(), ((layers + world - 1) // world).sum()
    shared = torch.tensor([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], dtype=torch.bool)
    each = torch.tensor([2, 2, 12])
    held = torch.where(shared, part, whole) * each
    extra = torch.zeros(4, 1, dtype=torch.int64)
    extra[2] = 2 * layers.max()
    extra[3] = 2 * (gathered + layers).max()
    return torch.cat([held, extra], dim=1)
