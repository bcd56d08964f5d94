import torch


def predicted(features, times, asked, strength):
    kept = times == times
    rows, logs = features[kept], times[kept].log2()
    mean = rows.mean(dim=0)
    spread = rows.var(dim=0, unbiased=False).sqrt()
    spread = spread + (spread == 0)
    z, b = (rows - mean) / spread, logs.mean()
    system = z.T @ z
    system.diagonal().add_(strength)
    factor = torch.linalg.cholesky(system)
    w = torch.cholesky_solve((z.T @ (logs - b))[:, None], factor).squeeze(1)
    return 2.0 ** (b + torch.mv((asked - mean) / spread, w))
