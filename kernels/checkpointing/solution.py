import math

import torch
from torch.utils.checkpoint import checkpoint


def layer(h: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Apply one layer, [rows, width] to [rows, width]. Leave it as it is, and call it by its name."""
    return torch.sin(h @ weight)


def segment(h: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    for weight in weights:
        h = layer(h, weight)
    return h


def input_gradient(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The gradient of the sum of the last layer's output with respect to x, [rows, width]."""
    start = x.detach().requires_grad_()
    h = start
    # With segments of s layers, the L / s inputs of segments are kept all the time. While one
    # segment is in its backward pass, the tensors that its s layers saved are alive as well: one
    # a layer, the argument of sin. The sum L / s + s is smallest for s = sqrt(L).
    size = max(1, round(math.sqrt(len(weights))))
    for first in range(0, len(weights), size):
        # The form without reentrant autograd is the one that PyTorch recommends.
        h = checkpoint(segment, h, weights[first : first + size], use_reentrant=False)
    # The backward pass runs each segment's forward again, when it arrives there.
    (gradient,) = torch.autograd.grad(h.sum(), start)
    return gradient
