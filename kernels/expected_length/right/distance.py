import torch


def expected_length(p, q, k, cost):
    """The overlap is 1 less half of the distance; the columns are cumulative sums."""
    p, q = p.to(torch.float64), q.to(torch.float64)
    kept = (p.sum(-1) + q.sum(-1) - (p - q).abs().sum(-1)) / 2
    j = torch.arange(k + 1, dtype=torch.float64)
    by_rate = torch.cumsum(kept.mean() ** j, 0)
    chances = [torch.ones((), dtype=torch.float64)]
    for i in range(1, k + 1):
        last = kept.shape[1] - i + 1
        windows = torch.stack([kept[:, at : at + last] for at in range(i)])
        chances.append(windows.prod(0).mean())
    along = torch.stack(chances).cumsum(0)
    return torch.stack((by_rate, along, along / (1 + cost * j)), 1)
