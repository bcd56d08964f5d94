# expect: wrong-values
import torch


def mixed_bits(size, loss, budget):
    """From the least loss down: always the step that costs the least loss for a byte."""
    rows = torch.arange(len(size))
    chosen = loss.argmin(1)
    while int(size[rows, chosen].sum()) > budget:
        less = size[rows, chosen][:, None] - size
        lost = loss - loss[rows, chosen][:, None]
        cost = torch.where(less > 0, lost / less, torch.inf)
        step = int(cost.argmin())
        chosen[step // size.shape[1]] = step % size.shape[1]
    return chosen
