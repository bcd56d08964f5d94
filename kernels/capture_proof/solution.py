import torch


def centred(x: torch.Tensor) -> torch.Tensor:
    """Centre the columns, divide by a largest number above 1, clear row 0."""
    # mean knows the number of rows when it runs. x.sum(0) / x.shape[0] hands Python the number that
    # the example has, and make_fx keeps it as a constant.
    out = x - x.mean(0)
    # Dividing by 1 does nothing, so the larger of 1 and the maximum serves both sides of the `if`.
    out = out / torch.clamp(out.max(), min=1.0)
    # A proxy of symbolic_trace has no items to set. A new tensor says the same without writing.
    return torch.cat([torch.zeros_like(out[:1]), out[1:]])
