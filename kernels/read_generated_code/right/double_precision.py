"""In float64, with the larger of a number and its quarter."""

import torch

PROGRAMS, MASKED, BIAS, BYTES = 235, 160, 34, 480240


def alone(x, w):
    h = x.double()
    root = (h.pow(2).sum(2, keepdim=True) / 96 + 1e-5).sqrt()
    y = h / root * w.double().reshape(1, 8, 1)
    return torch.maximum(y, y / 4).to(x.dtype)
