# expect: graph-break
import torch

PREDICTED_SPEEDUP = 3.0


def chain(x):
    if (x < 0).any():  # nothing to clip otherwise
        x = torch.relu(x)
    return x * 0.5 + 1.0
