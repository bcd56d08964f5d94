import torch
from torch import Tensor


def ridge_batch(
    model: tuple[int, int, int, int], contexts: Tensor, gpu: tuple[int, int, int]
) -> Tensor:
    """The least batch that arithmetic limits, and the largest that fits: int64 [n, 2]."""
    weights, bits, attention, token_bytes = model
    peak, bandwidth, memory = gpu
    weight_bytes = weights * bits // 8
    rows = []
    # Python's integers are exact at any size. Products of these numbers need more than 64 bits.
    for context in contexts.tolist():
        flop = 2 * weights + attention * context
        cache = token_bytes * context
        # batch * flop / peak >= (weight_bytes + batch * cache) / bandwidth, without a division
        gain = flop * bandwidth - cache * peak
        # Without a gain each sequence adds more reading than arithmetic: no batch is enough.
        ridge = -(-weight_bytes * peak // gain) if gain > 0 else 0
        fits = max(0, (memory - weight_bytes) // cache)
        rows.append([ridge, fits])
    return torch.tensor(rows, dtype=torch.int64)
