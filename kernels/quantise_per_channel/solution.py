import torch


def quantise_per_channel(w: torch.Tensor, axis: int, bits: int) -> torch.Tensor:
    """Return the codes of `w` and the numbers that they stand for, float64 [2, *w.shape]."""
    w = w.double()
    limit = 2 ** (bits - 1) - 1
    # All axes but `axis` go: what remains is one number a channel. `% ndim` also serves axis = -1.
    others = [d for d in range(w.dim()) if d != axis % w.dim()]
    # With no other axis each number is a channel; amax over no axis would reduce all of them.
    largest = w.abs().amax(others, keepdim=True) if others else w.abs()
    scale = torch.where(largest == 0, 1.0, largest / limit)
    codes = torch.round(w / scale)
    return torch.stack([codes, codes * scale])
