# expect: low-precision
import torch

PREDICTED_SPEEDUP = 3.0


def chain(x):
    y = torch.relu(x.half()) * 0.5 + 1.0
    return y.float()
