# expect: wrong-values
import torch


def layer(h: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Apply one layer, [rows, width] to [rows, width]. Leave it as it is, and call it by its name."""
    return torch.sin(h @ weight)


def input_gradient(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The gradient of the sum of the last layer's output with respect to x, [rows, width]."""
    h = x.detach()
    for weight in weights:
        h = layer(h, weight)
    grad = torch.ones_like(h)
    for i in range(len(weights) - 1, -1, -1):
        h = x.detach()
        for weight in weights[:i]:
            h = torch.sin(h @ weight)
        grad = (grad * torch.cos(h @ weights[i])) @ weights[i].T
    return grad
