import torch


def expected_length(p, q, k, cost):
    """Take cumulative products from each place on, with a mark where a text has ended."""
    same = torch.where(p < q, p, q).sum(-1, dtype=torch.float64)
    texts, places = same.shape
    table = torch.empty((k + 1, 3), dtype=torch.float64)
    table[0] = 1
    total = torch.zeros(k, dtype=torch.float64)
    count = torch.zeros(k, dtype=torch.float64)
    for start in range(places):
        run = same[:, start : start + k].cumprod(1)
        total[: run.shape[1]] += run.sum(0)
        count[: run.shape[1]] += texts
    rate = same.sum() / same.numel()
    for j in range(k):
        table[j + 1, 0] = 1 + rate * table[j, 0]
        table[j + 1, 1] = table[j, 1] + total[j] / count[j]
    times = [1 + cost * j for j in range(k + 1)]
    table[:, 2] = table[:, 1] / torch.tensor(times, dtype=torch.float64)
    return table
