import torch

PREDICTED_SPEEDUP = 3.0


def chain(x: torch.Tensor) -> torch.Tensor:
    return torch.clamp_min(x, 0.0) * 0.5 + 1.0
