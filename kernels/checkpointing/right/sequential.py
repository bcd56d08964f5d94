"""checkpoint_sequential on a list of functions, and backward() in the place of autograd.grad."""

from functools import partial

import torch
from torch.utils.checkpoint import checkpoint_sequential


def layer(h, weight):
    return torch.sin(h @ weight)


def call(weight, h):
    return layer(h, weight)


def input_gradient(x, weights):
    start = x.clone().requires_grad_()
    functions = [partial(call, weight) for weight in weights]
    segments = max(1, int(len(weights) ** 0.5))
    out = checkpoint_sequential(functions, segments, start, use_reentrant=False)
    out.sum().backward()
    return start.grad
