import torch


def accept(p, q, drafts, seed):
    """Go from place to place; requests that have ended wait. Draw from the last token downwards."""
    n, k, tokens = q.shape
    g = torch.Generator().manual_seed(seed + 12345)
    dice = torch.rand(k + 1, n, 2, generator=g, dtype=torch.float64)
    out = torch.full((n, k + 1), -1)
    open_ = torch.ones(n, dtype=torch.bool)
    rows = torch.arange(n)
    for place in range(k + 1):
        if place < k:
            x = drafts[:, place]
            ratio = p[rows, place, x].double() / q[rows, place, x].double()
            keep = open_ & (dice[place, :, 0] < ratio)
            left = torch.relu(p[:, place] - q[:, place]).double()
            out[keep, place] = x[keep]
        else:
            keep = torch.zeros(n, dtype=torch.bool)
            left = p[:, place].double()
        ends = open_ & ~keep
        sums = left.flip(1).cumsum(1)
        at = torch.searchsorted(sums, dice[place, :, 1:] * sums[:, -1:], right=True)[:, 0]
        out[ends, place] = (tokens - 1 - at)[ends]
        open_ = keep
    return out
