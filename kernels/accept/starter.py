import torch
from torch.nn import functional as F


def accept(
    p: torch.Tensor, q: torch.Tensor, drafts: torch.Tensor, seed: int
) -> torch.Tensor:
    """Return the tokens of a step, [n, k + 1] int64: drafts that are kept, one that is drawn, -1."""
    n, k, _ = q.shape
    g = torch.Generator().manual_seed(seed)
    request, place = torch.arange(n), torch.arange(k + 1)
    wanted = p[:, :k].gather(2, drafts[..., None])[..., 0]
    had = q.gather(2, drafts[..., None])[..., 0]
    # Which drafts are kept? How many come before the
    # first refusal? What is drawn from then?
    kept = wanted >= had
    count = kept.long().sum(1)
    drawn = torch.multinomial(p[request, count], 1, generator=g)[:, 0]
    out = torch.where(place < count[:, None], F.pad(drafts, (0, 1)), -1)
    out[request, count] = drawn
    return out
