# expect: wrong-values
import torch


def accept(p, q, drafts, seed):
    """Replace each refused draft, and go on to the drafts behind it."""
    n, k, _ = q.shape
    g = torch.Generator().manual_seed(seed)
    wanted = p[:, :k].gather(2, drafts[..., None])[..., 0]
    had = q.gather(2, drafts[..., None])[..., 0]
    kept = torch.rand(n, k, generator=g) * had < wanted
    rest = (p[:, :k] - q).clamp(min=0) + 1e-30
    other = torch.multinomial(rest.flatten(0, 1), 1, generator=g).view(n, k)
    bonus = torch.multinomial(p[:, k], 1, generator=g)
    return torch.cat((torch.where(kept, drafts, other), bonus), 1)
