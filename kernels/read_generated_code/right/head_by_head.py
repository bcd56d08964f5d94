"""A loop over the eight heads, as somebody reads `xindex % 8`."""

import torch

PROGRAMS, MASKED, BIAS, BYTES = 235, 160, 34, 480240


def alone(x, w):
    out = torch.empty_like(x)
    for head in range(8):
        h = x[:, head].float()
        y = w[head] * h * (h.square().mean(1) + 1e-5).rsqrt()[:, None]
        out[:, head] = torch.where(y > 0, y, y * 0.25)
    return out
