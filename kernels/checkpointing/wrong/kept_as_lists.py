# expect: out-of-memory
import torch


def layer(h: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Apply one layer, [rows, width] to [rows, width]. Leave it as it is, and call it by its name."""
    return torch.sin(h @ weight)


def input_gradient(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The gradient of the sum of the last layer's output with respect to x, [rows, width]."""
    kept, h = [], x.detach()
    with torch.no_grad():
        for weight in weights:
            kept.append(h.tolist())
            h = layer(h, weight)
        gradient = torch.ones_like(h)
        for weight in reversed(weights.unbind()):
            before = torch.tensor(kept.pop())
            gradient = (gradient * torch.cos(before @ weight)) @ weight.T
    return gradient
