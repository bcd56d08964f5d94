import torch
import torch.nn.functional as F


def u8s8_dot(x, w, start, instruction):
    """Accumulators after all groups of four bytes: int32 [M, N]."""
    missing = -x.shape[1] % 4
    x, w = F.pad(x, (0, missing)).double(), F.pad(w, (0, missing)).double()
    total = start.contiguous().long()
    for at in range(0, x.shape[1], 2):
        pair = (x[:, at : at + 2] @ w[:, at : at + 2].T).long()
        if instruction == "vpmaddubsw":
            pair = pair.clamp(-32768, 32767)
        total = total + pair
    return total.to(torch.int32)
