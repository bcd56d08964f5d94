# expect: wrong-values
import torch


def mixed_bits(size, loss, budget):
    """Each matrix gets a share of the budget by its size, and chooses for itself."""
    least = size.amin(1)
    span = (size.amax(1) - least).double()
    spare = budget - int(least.sum())
    room = least + (span / span.sum().clamp(min=1) * spare).floor().long()
    fits = size <= room[:, None]
    return torch.where(fits, loss, torch.inf).argmin(1)
