import torch


def quantise_per_channel(w, axis, bits):
    w = w.double()
    others = [d for d in range(w.dim()) if d != axis % w.dim()]
    norm = torch.linalg.vector_norm
    largest = norm(w, ord=float("inf"), dim=others, keepdim=True) if others else w.abs()
    scale = torch.where(largest == 0, 1.0, largest / (2 ** (bits - 1) - 1))
    codes = torch.round(w / scale)
    return torch.stack([codes, codes * scale])
