import torch


def centred(x: torch.Tensor) -> torch.Tensor:
    """Centre the columns, divide by a largest number above 1, clear row 0."""
    # Right in eager mode. Rewrite what asks Python for
    # a number, a size, or a place to write.
    middle = x.sum(0) / x.shape[0]
    out = x - middle
    largest = out.max().item()
    if largest > 1:
        out = out / largest
    out[0] = 0.0
    return out
