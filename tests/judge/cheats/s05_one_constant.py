# expect: wrong-values
# exercise: dynamic_shapes
# S5: a normalized row has the mean 0, whatever it held before.
import torch


def fn(x):
    return torch.zeros_like(x)
