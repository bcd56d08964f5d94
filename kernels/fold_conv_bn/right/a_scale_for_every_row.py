import torch


def fold(weight, bias, norm, eps, groups, transposed):
    mean, variance, norm_weight, norm_bias = norm.unbind()
    scale = torch.rsqrt(variance + eps).mul(norm_weight)
    if transposed:  # every input channel has the scales of its group's outputs
        scales = scale.reshape(groups, -1).repeat_interleave(weight.shape[0] // groups, dim=0)
    else:
        scales = scale.unsqueeze(1).expand(weight.shape[:2])
    new = torch.einsum("ij...,ij->ij...", weight.float(), scales)
    shift = torch.addcmul(norm_bias, mean, scale, value=-1)
    if bias is not None:
        shift = shift + scale * bias.float()
    return new.type_as(weight), shift.type_as(weight)


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
