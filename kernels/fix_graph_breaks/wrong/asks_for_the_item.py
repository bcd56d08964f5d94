# expect: graph-break
import torch


def model(x, training=True):
    y = x.sin()
    factor = 2.0 if x.sum().item() > 0 else 1.0
    y = y * factor
    other = y.cos()
    return torch.where(other.sum() < y.sum(), other, y)
