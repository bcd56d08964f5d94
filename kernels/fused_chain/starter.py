import torch

# How many times faster than eager will the compiled
# function be on a large tensor? Count bytes.
PREDICTED_SPEEDUP = 0.0


def chain(x: torch.Tensor) -> torch.Tensor:
    """relu(x), times 0.5, plus 1.0."""
    # Write the other two operations.
    return torch.relu(x)
