import torch


def quantise_per_channel(w: torch.Tensor, axis: int, bits: int) -> torch.Tensor:
    """Return the codes of `w` and the numbers that they stand for, float64 [2, *w.shape]."""
    # Write it: one scale for each index along `axis`.
    raise NotImplementedError
