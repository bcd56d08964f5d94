import torch

# Ten row counts under dynamic=False, with torch's own
# limits: say it before you run it.
STATIC_COMPILATIONS = 0
STATIC_EAGER_CALLS = 0


def fn(x: torch.Tensor) -> torch.Tensor:
    """Layer norm over the last dimension, eps = 1e-5, no weight and no bias."""
    # So far row by row. What does the compiler make of
    # this loop?
    rows = [row - row.mean() for row in x]
    return torch.stack(rows)
