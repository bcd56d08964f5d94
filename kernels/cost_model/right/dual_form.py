import torch


def predicted(features, times, asked, strength):
    kept = times == times
    rows, logs = features[kept], times[kept].log2()
    mean = rows.mean(dim=0)
    spread = rows.var(dim=0, unbiased=False).sqrt()
    spread = spread + (spread == 0)
    z, b = (rows - mean) / spread, logs.mean()
    kernel = z @ z.T + strength * torch.eye(len(z), dtype=z.dtype)
    alpha = torch.linalg.solve(kernel, logs - b)
    return torch.exp2(b + (asked - mean) / spread @ z.T @ alpha)
