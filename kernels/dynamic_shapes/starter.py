import torch

# Three times ten row counts under dynamic=False, with
# a limit of 4: say it before you run it.
LIMITED_COMPILATIONS = 0
LIMITED_UNCOMPILED_CALLS = 0


def fn(x: torch.Tensor) -> torch.Tensor:
    """Layer norm over the last dimension, eps = 1e-5, no weight and no bias."""
    # So far row by row. What does the compiler make of
    # this loop?
    rows = [row - row.mean() for row in x]
    return torch.stack(rows)
