import torch


def fold(weight, bias, norm_weight, norm_bias):
    def given(rows):
        rows = rows * norm_weight
        rows = rows if norm_bias is None else rows + norm_bias
        return torch.nn.functional.linear(rows, weight.double()) + (0 if bias is None else bias)

    # A row of zeros reads the bias, and a row of the identity one column of the weight beside it.
    size = len(norm_weight)
    zero = given(torch.zeros(1, size, dtype=torch.float64))
    columns = given(torch.eye(size, dtype=torch.float64)) - zero
    return columns.T.float(), zero[0].float()


def folded(
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    norm_weight: torch.Tensor,
    norm_bias: torch.Tensor | None,
) -> torch.Tensor:
    """Both results in one tensor, for the judge. Leave it as it is."""
    weight, bias = fold(weight, bias, norm_weight, norm_bias)
    return torch.cat((weight.flatten(), bias))
