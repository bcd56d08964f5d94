import torch


def model(x, training=True):
    # A condition is 0 or 1, and so part of a factor.
    y = torch.sin(x) * (1 + (x.sum() > 0).to(x.dtype))
    other = torch.cos(y)
    smaller = (other.sum() < y.sum()).to(x.dtype)
    return y + smaller * (other - y)
