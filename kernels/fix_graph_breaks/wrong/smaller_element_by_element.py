# expect: wrong-values
import torch


def model(x, training=True):
    y = x.sin()
    y = torch.where(x.sum() > 0, 2 * y, y)
    return torch.minimum(y, y.cos())
