import math

import torch


def model(x, training=True):
    y = torch.sin(x)
    y = torch.where(x.sum() > 0, y + y, y)
    other = torch.sin(y + math.pi / 2)
    # torch.minimum of the two sums says which one it is.
    first, second = y.sum(), other.sum()
    return torch.where(torch.eq(torch.minimum(first, second), first), y, other)
