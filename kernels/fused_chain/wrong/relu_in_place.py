# expect: input-modified
import torch

PREDICTED_SPEEDUP = 3.0


def chain(x):
    x.relu_()
    return x * 0.5 + 1.0
