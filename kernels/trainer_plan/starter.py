import torch
from torch import Tensor


def plan(
    stages: int,
    replicas: int,
    microbatches: int,
    tokens: int,
    width: int,
    weights: list[int],
    saved: list[int],
) -> Tensor:
    """Promise what a step costs: float64 [11]."""
    largest = max(weights)
    numbers = [0.0] * 11
    # Weights and gradients, 8 bytes each. Go on with
    # the ten others.
    numbers[4] = 2 * 8 * largest
    return torch.tensor(numbers, dtype=torch.float64)
