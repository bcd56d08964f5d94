# expect: out-of-memory
import torch


def layer(h: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Apply one layer, [rows, width] to [rows, width]. Leave it as it is, and call it by its name."""
    return torch.sin(h @ weight)


def input_gradient(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The gradient of the sum of the last layer's output with respect to x, [rows, width]."""
    kept, h = [], x
    with torch.no_grad():
        for weight in weights:
            kept.append(h.numpy().copy())
            h = layer(h, weight)
    gradient = torch.ones_like(x)
    for values, weight in zip(reversed(kept), reversed(list(weights)), strict=True):
        h = torch.from_numpy(values).requires_grad_()
        (gradient,) = torch.autograd.grad(layer(h, weight), h, gradient)
    return gradient
