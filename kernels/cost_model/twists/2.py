import torch


def predicted(features, times, asked, strength):
    kept = times == times
    rows, logs = features[kept], times[kept].log2()
    mean = rows.mean(dim=0)
    spread = rows.var(dim=0, unbiased=False).sqrt()
    spread = spread + (spread == 0)
    z, b = (rows - mean) / spread, logs.mean()
    u, s, vh = torch.linalg.svd(z, full_matrices=False)
    w = vh.T @ (s / (s * s + strength) * (u.T @ (logs - b)))
    return torch.exp2(b + ((asked - mean) / spread) @ w)
