import torch
import torch.nn.functional as F
from torch import Tensor


def u8s8_dot(x: Tensor, w: Tensor, start: Tensor, instruction: str) -> Tensor:
    """Accumulators after all groups of four bytes: int32 [M, N]."""
    missing = -x.shape[1] % 4
    x = F.pad(x.to(torch.int32), (0, missing))
    w = F.pad(w.to(torch.int32), (0, missing))
    products = x[:, None, :] * w
    # 255 * 127 fits into 16 bits with its sign. Two of them do not.
    pairs = products.unflatten(-1, (-1, 2)).sum(-1)
    if instruction == "vpmaddubsw":
        pairs = pairs.clamp(-32768, 32767)
    # Added in 64 bits and cut at the end: the order of sums that wrap round does not matter.
    total = start.long() + pairs.sum(-1)
    return total.to(torch.int32)
