import torch


def doubled_where(condition, y):
    return torch.lerp(y, 2 * y, condition.float())


def model(x, training=True):
    y = doubled_where(x.sum().gt(0), torch.sin(x))
    out = torch.empty_like(y).copy_(y)
    out.masked_fill_(y.cos().sum() < y.sum(), 0.0)
    return out + y.cos() * (y.cos().sum() < y.sum())
