import torch


def fold(weight, bias, norm, eps, groups, transposed):
    mean, variance, norm_weight, norm_bias = norm
    scale = norm_weight / torch.sqrt(variance + eps)
    if transposed:
        # (groups, out / groups) -> (in, out / groups): each input channel has its group's row
        rows = scale.view(groups, -1).repeat_interleave(len(weight) // groups, dim=0)
        scales = rows.reshape(*weight.shape[:2], *(1,) * (weight.ndim - 2)).expand_as(weight)
    else:
        scales = scale.view(-1, *(1,) * (weight.ndim - 1)).expand_as(weight)
    own = torch.zeros_like(mean) if bias is None else bias.float()
    new_bias = own * scale - mean * scale + norm_bias
    return (weight.float() * scales).to(weight.dtype), new_bias.to(weight.dtype)


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
