# expect: input-modified
import torch


def fold(weight, bias, norm, eps, groups, transposed):
    """Weight and bias of the convolution that does the work of both."""
    mean, variance, norm_weight, norm_bias = norm
    scale = norm_weight / torch.sqrt(variance + eps)
    ones = (1,) * (weight.ndim - 2)
    if transposed:
        grouped = weight.float().unflatten(0, (groups, -1))
        new_weight = (grouped * scale.view(groups, 1, -1, *ones)).flatten(0, 1)
    else:
        new_weight = weight.mul_(scale.view(-1, 1, *ones))
    before = 0.0 if bias is None else bias.float()
    new_bias = (before - mean) * scale + norm_bias
    return new_weight.to(weight.dtype), new_bias.to(weight.dtype)


def folded(
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    norm: torch.Tensor,
    eps: float,
    groups: int,
    transposed: bool,
) -> torch.Tensor:
    """Both results in one tensor, for the judge. Leave it as it is."""
    weight, bias = fold(weight, bias, norm, eps, groups, transposed)
    return torch.cat((weight.flatten(), bias))
