import torch


def fold(weight, bias, norm_weight, norm_bias):
    if norm_bias is None:
        norm_bias = torch.zeros_like(norm_weight)
    return weight * norm_weight[None, :], torch.nn.functional.linear(norm_bias, weight, bias)


def folded(
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    norm_weight: torch.Tensor,
    norm_bias: torch.Tensor | None,
) -> torch.Tensor:
    """Both results in one tensor, for the judge. Leave it as it is."""
    weight, bias = fold(weight, bias, norm_weight, norm_bias)
    return torch.cat((weight.flatten(), bias))
