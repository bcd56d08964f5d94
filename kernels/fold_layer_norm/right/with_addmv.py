import torch


def fold(weight, bias, norm_weight, norm_bias):
    own = torch.zeros(weight.shape[0]) if bias is None else bias
    shift = torch.zeros_like(norm_weight) if norm_bias is None else norm_bias
    return torch.mul(weight, norm_weight.unsqueeze(0)), torch.addmv(own, weight, shift)


def folded(
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    norm_weight: torch.Tensor,
    norm_bias: torch.Tensor | None,
) -> torch.Tensor:
    """Both results in one tensor, for the judge. Leave it as it is."""
    weight, bias = fold(weight, bias, norm_weight, norm_bias)
    return torch.cat((weight.flatten(), bias))
