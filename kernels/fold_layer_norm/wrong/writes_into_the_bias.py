# expect: input-modified
import torch


def fold(weight, bias, norm_weight, norm_bias):
    """Weight and bias of a linear layer that reads the bare normalised row."""
    new_bias = torch.zeros(len(weight)) if bias is None else bias
    if norm_bias is not None:
        new_bias += weight @ norm_bias
    return weight * norm_weight, new_bias


def folded(
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    norm_weight: torch.Tensor,
    norm_bias: torch.Tensor | None,
) -> torch.Tensor:
    """Both results in one tensor, for the judge. Leave it as it is."""
    weight, bias = fold(weight, bias, norm_weight, norm_bias)
    return torch.cat((weight.flatten(), bias))
