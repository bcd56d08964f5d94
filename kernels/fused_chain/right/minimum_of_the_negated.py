import torch

PREDICTED_SPEEDUP = 3.0


def chain(x):
    # max(x, 0) is -min(-x, 0), and both hand NaN on.
    return 1.0 - 0.5 * torch.minimum(-x, torch.zeros_like(x))
