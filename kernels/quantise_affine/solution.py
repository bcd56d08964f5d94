import torch


def quantise_affine(x: torch.Tensor, seen: torch.Tensor, low: int, high: int) -> torch.Tensor:
    """Return the codes of `x` and the numbers that they stand for, float64 [2, *x.shape]."""
    x, seen = x.double(), seen.double()
    # With 0 in the range, a code stands for it exactly: padding and relu's zeros stay zeros.
    bottom, top = min(seen.min().item(), 0.0), max(seen.max().item(), 0.0)
    scale = (top - bottom) / (high - low)
    if scale == 0:
        scale = 1.0
    zero = low - round(bottom / scale)
    # What lies outside of the range gets the code at its end.
    codes = torch.clamp(torch.round(x / scale) + zero, low, high)
    restored = (codes - zero) * scale
    return torch.stack([codes, restored])
