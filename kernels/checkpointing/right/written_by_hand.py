"""The backward pass by hand: the inputs of segments are kept, and each segment is run again."""

import torch


def layer(h, weight):
    return torch.sin(h @ weight)


def input_gradient(x, weights):
    size = 5
    inputs, h = [], x
    with torch.no_grad():
        for i, weight in enumerate(weights):
            if i % size == 0:
                inputs.append(h)
            h = layer(h, weight)
    grad = torch.ones_like(h)
    del h
    for number in range(len(inputs) - 1, -1, -1):
        part = weights[number * size : (number + 1) * size]
        start = inputs.pop().detach().requires_grad_()
        out = start
        for weight in part:
            out = layer(out, weight)
        (grad,) = torch.autograd.grad(out, start, grad)
        del out, start
    return grad
