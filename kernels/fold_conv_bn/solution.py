import torch


def fold(weight, bias, norm, eps, groups, transposed):
    """Weight and bias of the convolution that does the work of both."""
    mean, variance, norm_weight, norm_bias = norm
    # (y - mean) * scale + norm_bias, for y = conv(x) + bias. The scale goes to every product of an
    # output channel, so to its weights; all that is added becomes the bias.
    scale = norm_weight / torch.sqrt(variance + eps)
    ones = (1,) * (weight.ndim - 2)
    if transposed:
        # Input channels come first here, group by group, and each group has its own outputs.
        grouped = weight.float().unflatten(0, (groups, -1))
        new_weight = (grouped * scale.view(groups, 1, -1, *ones)).flatten(0, 1)
    else:
        # The first dimension has all output channels, whatever the groups.
        new_weight = weight.float() * scale.view(-1, 1, *ones)
    before = 0.0 if bias is None else bias.float()
    new_bias = (before - mean) * scale + norm_bias
    # float() has widened a bfloat16 weight: this is the only rounding.
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
