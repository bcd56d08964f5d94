import torch

PREDICTED_SPEEDUP = 3


def chain(x):
    # Not x > 0: NaN compares false with everything, and has to take the way of x.
    return torch.where(x <= 0, 1.0, x * 0.5 + 1.0)
