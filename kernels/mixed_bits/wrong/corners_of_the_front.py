# expect: wrong-values
import torch


def mixed_bits(size, loss, budget):
    """A price for a byte: each matrix takes what is cheapest at that price."""
    rows = torch.arange(len(size))
    low, high, best = 0.0, 64.0, size.argmin(1)
    for _ in range(80):
        price = (low + high) / 2
        chosen = (loss + price * size).argmin(1)
        if int(size[rows, chosen].sum()) <= budget:
            best, high = chosen, price
        else:
            low = price
    return best
