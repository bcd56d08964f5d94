# expect: wrong-graph
import torch


def centred(x: torch.Tensor) -> torch.Tensor:
    """Centre the columns, divide by a largest number above 1, clear row 0."""
    out = x - x.mean(0)
    out = out / torch.clamp(out.max(), min=1.0)
    return torch.stack([0 * out[i] if i == 0 else out[i] for i in range(len(out))])
