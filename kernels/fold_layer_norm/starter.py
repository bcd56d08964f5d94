import torch


def fold(weight, bias, norm_weight, norm_bias):
    """Weight and bias of a linear layer that reads the bare normalised row."""
    # Write it. The layer norm stands before the layer.
    return weight, torch.zeros(len(weight)) if bias is None else bias


def folded(
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    norm_weight: torch.Tensor,
    norm_bias: torch.Tensor | None,
) -> torch.Tensor:
    """Both results in one tensor, for the judge. Leave it as it is."""
    weight, bias = fold(weight, bias, norm_weight, norm_bias)
    return torch.cat((weight.flatten(), bias))
