import torch


def predicted(
    features: torch.Tensor, times: torch.Tensor, asked: torch.Tensor, strength: float
) -> torch.Tensor:
    """Predicted times in microseconds, a number for each row of `asked`."""
    # Write it: keep, standardise, solve, go back.
    return torch.zeros(len(asked), dtype=torch.float64)
