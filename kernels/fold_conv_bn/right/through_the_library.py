import torch
from torch.nn.utils.fusion import fuse_conv_bn_weights


def fold(weight, bias, norm, eps, groups, transposed):
    def library(w, b, statistics):
        mean, variance, norm_weight, norm_bias = statistics
        b = None if b is None else b.float()
        return fuse_conv_bn_weights(w, b, mean, variance, eps, norm_weight, norm_bias, transposed)

    with torch.no_grad():
        if not transposed:
            w, b = library(weight.float(), bias, norm)
        else:  # the library knows no groups here
            biases = [None] * groups if bias is None else bias.chunk(groups)
            parts = zip(weight.float().chunk(groups), biases, norm.chunk(groups, 1), strict=True)
            found = [library(*each) for each in parts]
            w, b = (torch.cat(each) for each in zip(*found, strict=True))
        return w.to(weight.dtype), b.to(weight.dtype)


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
