# expect: wrong-values
import torch


def mixed_bits(size, loss, budget):
    """The matrix that can lose the most chooses first."""
    chosen = size.argmin(1)
    left = budget - int(size.amin(1).sum())
    rows = torch.arange(len(size))
    for row in (loss[rows, chosen] - loss.amin(1)).argsort(descending=True).tolist():
        room = left + int(size[row, chosen[row]])
        fits = [j for j in range(size.shape[1]) if int(size[row, j]) <= room]
        best = min(fits, key=lambda j: (float(loss[row, j]), int(size[row, j])))
        left = room - int(size[row, best])
        chosen[row] = best
    return chosen
