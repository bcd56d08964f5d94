import torch
from torch import Tensor


def fsdp_bytes(layers: Tensor, world: int, ahead: int) -> Tensor:
    """Bytes of a rank: a row for each ZeRO stage."""
    sizes = layers.tolist()
    whole = sum(sizes)
    # Each layer is cut by itself, so each may be padded.
    part = sum(-(-size // world) for size in sizes)
    gradient, both = 0, 0
    for i, size in enumerate(sizes):
        gradient = max(gradient, 2 * size)
        # Backward goes to the front: the layers before this one are gathered ahead.
        gathered = 2 * sum(sizes[max(0, i - ahead) : i + 1])
        both = max(both, gathered + 2 * size)
    rows = [
        [2 * whole, 2 * whole, 12 * whole, 0],
        [2 * whole, 2 * whole, 12 * part, 0],
        [2 * whole, 2 * part, 12 * part, gradient],
        [2 * part, 2 * part, 12 * part, both],
    ]
    return torch.tensor(rows, dtype=torch.int64)
