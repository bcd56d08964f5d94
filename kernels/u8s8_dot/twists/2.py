import torch
import torch.nn.functional as F


def u8s8_dot(x, w, start, instruction):
    """Accumulators after all groups of four bytes: int32 [M, N]."""
    missing = -x.shape[1] % 4
    x, w = F.pad(x.long(), (0, missing)), F.pad(w.long(), (0, missing))
    pairs = (x[:, None, :] * w).unflatten(-1, (-1, 2)).sum(-1)
    if instruction == "vpmaddubsw":
        pairs = torch.where(pairs > 32767, 32767, pairs)
        pairs = torch.where(pairs < -32768, -32768, pairs)
    return (start.long() + pairs.sum(-1)).to(torch.int32)
