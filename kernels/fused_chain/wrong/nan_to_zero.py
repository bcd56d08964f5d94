# expect: nan-handling
import torch

PREDICTED_SPEEDUP = 3.0


def chain(x):
    return torch.where(x > 0, x, 0.0) * 0.5 + 1.0
