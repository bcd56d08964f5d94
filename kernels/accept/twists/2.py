import torch
from torch.nn import functional as F


def accept(
    p: torch.Tensor, q: torch.Tensor, drafts: torch.Tensor, seed: int
) -> torch.Tensor:
    """Return the tokens of a step, [n, k + 1] int64: drafts that are kept, one that is drawn, -1."""
    n, k, _ = q.shape
    g = torch.Generator().manual_seed(seed)
    request, place = torch.arange(n), torch.arange(k + 1)
    # What both models give to each draft, [n, k].
    wanted = p[:, :k].gather(2, drafts[..., None])[..., 0]
    had = q.gather(2, drafts[..., None])[..., 0]
    # u < wanted / had, written without the division: no draft is kept that the target rules out.
    kept = torch.rand(n, k, generator=g) * had < wanted
    # A product of zeros and ones stays 0 from the first refusal on.
    count = kept.long().cumprod(1).sum(1)
    # Behind the last draft the draft model has said nothing: with zeros there, the residual is p.
    rest = (p - F.pad(q, (0, 0, 0, 1))).clamp(min=0)
    share = rest[request, count].double().cumsum(1)
    at = torch.rand(n, 1, generator=g, dtype=torch.float64) * share[:, -1:]
    drawn = (share <= at).sum(1)
    out = torch.where(place < count[:, None], F.pad(drafts, (0, 1)), -1)
    out[request, count] = drawn
    return out
