import torch
from torch import Tensor


def mixed_bits(size: Tensor, loss: Tensor, budget: int) -> Tensor:
    """The column that each matrix gets: int64 [n]."""
    # So far: from the fewest bytes on, always the step
    # that saves the most loss for a byte, if it fits.
    chosen = size.argmin(1).tolist()
    left = budget - int(size.min(1).values.sum())
    while True:
        best = None
        for i, now in enumerate(chosen):
            for j in range(size.shape[1]):
                more = int(size[i, j] - size[i, now])
                saved = float(loss[i, now] - loss[i, j])
                if saved > 0 and 0 < more <= left:
                    step = (saved / more, i, j, more)
                    best = max(best or step, step)
        if best is None:
            return torch.tensor(chosen)
        _, i, j, more = best
        chosen[i], left = j, left - more
