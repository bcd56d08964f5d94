import torch
from torch.utils.checkpoint import checkpoint_sequential


def layer(h, weight):
    return torch.sin(h @ weight)


def input_gradient(x, weights):
    start = x.detach().requires_grad_()
    functions = [lambda h, w=w: layer(h, w) for w in weights]
    # checkpoint_sequential keeps the last segment without a checkpoint, so segments are few layers.
    segments = max(1, round(len(weights) ** 0.5))
    out = checkpoint_sequential(functions, segments, start, use_reentrant=False)
    return torch.autograd.grad(out.sum(), start)[0]
