# expect: wrong-values
import torch


def mixed_bits(size, loss, budget):
    """Go from the smallest matrix to the largest, and leave the fewest bytes for the rest."""
    left = budget - int(size.amin(1).sum())
    chosen = torch.zeros(len(size), dtype=torch.int64)
    for row in size.amax(1).argsort().tolist():
        room = left + int(size[row].min())
        fits = torch.where(size[row] <= room, loss[row], torch.inf)
        chosen[row] = fits.argmin()
        left = room - int(size[row, chosen[row]])
    return chosen
