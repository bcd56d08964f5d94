import torch


def fold(weight, bias, norm_weight, norm_bias):
    new = weight @ torch.diag(norm_weight)
    own = weight.new_zeros(len(weight)) if bias is None else bias
    if norm_bias is None:
        return new, own
    return new, torch.einsum("oi,i->o", weight, norm_bias) + own


def folded(
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    norm_weight: torch.Tensor,
    norm_bias: torch.Tensor | None,
) -> torch.Tensor:
    """Both results in one tensor, for the judge. Leave it as it is."""
    weight, bias = fold(weight, bias, norm_weight, norm_bias)
    return torch.cat((weight.flatten(), bias))
