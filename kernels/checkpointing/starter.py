import torch


def layer(h: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Apply one layer, [rows, width] to [rows, width]. Leave it as it is, and call it by its name."""
    return torch.sin(h @ weight)


def input_gradient(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The gradient of the sum of the last layer's output with respect to x, [rows, width]."""
    # Write the forward pass through all layers, in
    # checkpointed segments, and the backward pass.
    return torch.zeros_like(x)
