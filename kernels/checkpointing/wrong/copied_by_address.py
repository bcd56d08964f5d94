# expect: out-of-memory
import ctypes

import torch


def layer(h: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Apply one layer, [rows, width] to [rows, width]. Leave it as it is, and call it by its name."""
    return torch.sin(h @ weight)


def out_of_sight(t):
    t = t.contiguous()
    return ctypes.string_at(t.data_ptr(), t.numel() * t.element_size()), t.shape


def back(kept):
    data, shape = kept
    return torch.frombuffer(bytearray(data), dtype=torch.float32).view(shape)


def input_gradient(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The gradient of the sum of the last layer's output with respect to x, [rows, width]."""
    start = x.detach().requires_grad_()
    h = start
    with torch.autograd.graph.saved_tensors_hooks(out_of_sight, back):
        for weight in weights:
            h = layer(h, weight)
        total = h.sum()
    (gradient,) = torch.autograd.grad(total, start)
    return gradient
