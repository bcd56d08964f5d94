import torch


def fold(weight, bias, norm, eps, groups, transposed):
    mean, variance, norm_weight, norm_bias = norm
    scale = norm_weight * torch.rsqrt(variance + eps)
    own = torch.zeros_like(mean) if bias is None else bias.float()
    new_bias = torch.addcmul(norm_bias, own - mean, scale)
    parts = []
    for part, factors in zip(weight.float().chunk(groups), scale.chunk(groups), strict=True):
        out_first = part.transpose(0, 1) if transposed else part
        scaled = torch.stack([w * f for w, f in zip(out_first, factors, strict=True)])
        parts.append(scaled.transpose(0, 1) if transposed else scaled)
    return torch.cat(parts).to(weight.dtype), new_bias.to(weight.dtype)


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
