import torch


def centred(x: torch.Tensor) -> torch.Tensor:
    """Centre the columns, divide by a largest number above 1, clear row 0."""
    out = x - x.mean(0)
    largest = out.max()
    out = torch.where(largest > 1, out / largest, out)
    return torch.cat([torch.zeros_like(out[:1]), out[1:]])
