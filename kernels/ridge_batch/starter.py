import torch
from torch import Tensor


def ridge_batch(model: tuple, contexts: Tensor, gpu: tuple) -> Tensor:
    """The least batch that arithmetic limits, and the
    largest that fits: int64 [n, 2]."""
    weights, bits, attention, token_bytes = model
    peak, bandwidth, memory = gpu
    rows = []
    for context in contexts.tolist():
        flop = 2 * weights + attention * context
        # When does batch * flop / peak reach the time
        # of reading? And how many caches fit?
        rows.append([flop, 0])
    return torch.tensor(rows, dtype=torch.int64)
