import torch


def predicted(
    features: torch.Tensor, times: torch.Tensor, asked: torch.Tensor, strength: float
) -> torch.Tensor:
    """Predicted times in microseconds, a number for each row of `asked`."""
    # Write it: keep, standardise, solve, go back. This predicts the mean for every row.
    kept = times[~torch.isnan(times)]
    return kept.mean().expand(len(asked)).clone()
