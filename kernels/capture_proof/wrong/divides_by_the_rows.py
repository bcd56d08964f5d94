# expect: wrong-graph
import torch


def centred(x: torch.Tensor) -> torch.Tensor:
    """Centre the columns, divide by a largest number above 1, clear row 0."""
    out = x - x.sum(0) / x.shape[0]
    out = out / torch.clamp(out.max(), min=1.0)
    return torch.cat([torch.zeros_like(out[:1]), out[1:]])
