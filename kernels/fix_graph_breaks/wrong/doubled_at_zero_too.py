# expect: wrong-values
import torch


def model(x, training=True):
    y = x.sin()
    y = torch.where(x.sum() >= 0, 2 * y, y)
    other = y.cos()
    return torch.where(other.sum() < y.sum(), other, y)
