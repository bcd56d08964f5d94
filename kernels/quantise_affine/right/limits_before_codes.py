import torch


def quantise_affine(x, seen, low, high):
    seen, x = seen.to(torch.float64), x.to(torch.float64)
    bottom = float(torch.clamp(seen.amin(), max=0))
    top = float(torch.clamp(seen.amax(), min=0))
    scale = (top - bottom) / (high - low)
    scale = 1.0 if scale == 0.0 else scale
    zero = low - round(bottom / scale)
    out = torch.empty(2, *x.shape, dtype=torch.float64)
    torch.div(x, scale, out=out[0])
    out[0].round_().add_(zero).clamp_(low, high)
    torch.sub(out[0], zero, out=out[1])
    out[1] *= scale
    return out
