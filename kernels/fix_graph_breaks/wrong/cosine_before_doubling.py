# expect: wrong-values
import torch


def model(x, training=True):
    y = x.sin()
    other = y.cos()
    y = torch.where(x.sum() > 0, 2 * y, y)
    return torch.where(other.sum() < y.sum(), other, y)
