# expect: wrong-values
import torch


def mixed_bits(size, loss, budget):
    """The same rank of width for all matrices."""
    order = size.argsort(dim=1, stable=True)
    sizes, losses = size.gather(1, order), loss.gather(1, order)
    fits = [j for j in range(size.shape[1]) if int(sizes[:, j].sum()) <= budget]
    return order[:, min(fits, key=lambda j: float(losses[:, j].sum()))]
