import torch


def fold(weight, bias, norm, eps, groups, transposed):
    """Weight and bias of the convolution that does the work of both."""
    # Write it. One scale and one shift for each output
    # channel: where do they go?
    # mean, variance, norm_weight, norm_bias = norm
    return weight, norm[3].to(weight.dtype)


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
