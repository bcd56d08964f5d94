# expect: wrong-values
import torch

PREDICTED_SPEEDUP = 3.0


def chain(x):
    return (torch.relu(x) + 1.0) * 0.5
