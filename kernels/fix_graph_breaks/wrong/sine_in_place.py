# expect: input-modified
import torch


def model(x, training=True):
    positive = x.sum() > 0
    y = x.sin_()
    y = torch.where(positive, 2 * y, y)
    other = y.cos()
    return torch.where(other.sum() < y.sum(), other, y)
