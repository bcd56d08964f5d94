import torch


def quantise_per_channel(w, axis, bits):
    numbers = w.to(torch.float64)
    axis = axis + w.dim() if axis < 0 else axis
    largest = torch.maximum(numbers, -numbers)
    for d in range(w.dim()):
        if d != axis:
            largest = largest.max(dim=d, keepdim=True).values
    limit = (1 << (bits - 1)) - 1
    scale = largest / limit + (largest == 0)
    codes = torch.clamp((numbers / scale).round(), -limit, limit)
    return torch.stack((codes, codes.mul(scale)))
