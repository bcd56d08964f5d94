import torch


def model(x, training=True):
    doubled = torch.stack([x.sin(), 2 * x.sin()])
    y = doubled.index_select(0, (x.sum() > 0).long().reshape(1)).squeeze(0)
    candidates = torch.stack([y, y.cos()])
    # The first of equal sums, which is y.
    smallest = candidates.flatten(1).sum(1).argmin()
    return candidates.index_select(0, smallest.reshape(1)).squeeze(0)
