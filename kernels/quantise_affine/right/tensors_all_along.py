import torch


def quantise_affine(x, seen, low, high):
    # No `.item()`: scale and zero point stay tensors, as they would on a GPU.
    values = torch.cat([seen.reshape(-1).double(), torch.zeros(1, dtype=torch.float64)])
    bottom, top = values.aminmax()
    scale = (top - bottom) / (high - low)
    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
    zero = low - torch.round(bottom / scale)
    # Limits that are moved by the zero point, and the zero point behind them.
    steps = torch.round(x.to(torch.float64) / scale)
    steps = torch.maximum(torch.minimum(steps, high - zero), low - zero)
    return torch.stack([steps + zero, steps * scale])
