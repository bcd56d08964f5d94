import torch


def accept(p, q, drafts, seed):
    """Find the first refusal with argmax, and draw a token at each place beforehand."""
    n, k, tokens = q.shape
    g = torch.Generator()
    g.manual_seed(seed)
    less = torch.cat((q, q.new_zeros(n, 1, tokens)), 1)
    rest = torch.maximum(p - less, torch.zeros(()))
    race = torch.empty_like(p).exponential_(generator=g)
    instead = (rest / race).argmax(2)
    index = drafts.unsqueeze(2)
    ratio = torch.take_along_dim(p[:, :k], index, 2) / torch.take_along_dim(q, index, 2)
    refused = torch.rand(n, k, generator=g) >= ratio.squeeze(2)
    ends = torch.cat((refused, torch.ones(n, 1, dtype=torch.bool)), 1).int().argmax(1, keepdim=True)
    place = torch.arange(k + 1).expand(n, -1)
    out = torch.cat((drafts, drafts.new_zeros(n, 1)), 1)
    out = torch.where(place == ends, instead, out)
    return out.masked_fill(place > ends, -1)
