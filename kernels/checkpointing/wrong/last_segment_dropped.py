# expect: wrong-values
import math

import torch
from torch.utils.checkpoint import checkpoint


def layer(h: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """One layer, [rows, width] to [rows, width]. Leave it as it is, and call it by its name."""
    return torch.sin(h @ weight)


def segment(h: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    for weight in weights:
        h = layer(h, weight)
    return h


def input_gradient(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The gradient of the sum of the last layer's output with respect to x, [rows, width]."""
    start = x.detach().requires_grad_()
    h = start
    size = max(1, round(math.sqrt(len(weights))))
    for first in range(0, max(1, len(weights) - size), size):
        h = checkpoint(segment, h, weights[first : first + size], use_reentrant=False)
    (gradient,) = torch.autograd.grad(h.sum(), start)
    return gradient
