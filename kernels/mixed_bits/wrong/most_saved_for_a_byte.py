# expect: wrong-values
import torch


def mixed_bits(size, loss, budget):
    """Widen step by step: the most loss saved for a byte first."""
    rows = torch.arange(len(size))
    chosen = size.argmin(1)
    while True:
        more = size - size[rows, chosen][:, None]
        saved = loss[rows, chosen][:, None] - loss
        left = budget - int(size[rows, chosen].sum())
        rate = torch.where((more > 0) & (more <= left) & (saved > 0), saved / more, 0.0)
        # What is as small and loses less is free.
        rate = torch.where((more <= 0) & (saved > 0), torch.inf, rate)
        step = int(rate.argmax())
        if rate.flatten()[step] <= 0:
            return chosen
        chosen[step // size.shape[1]] = step % size.shape[1]
