import torch


def predicted(features, times, asked, strength):
    kept = times == times
    rows, logs = features[kept], times[kept].log2()
    mean = rows.mean(dim=0)
    spread = rows.var(dim=0, unbiased=False).sqrt()
    spread = spread + (spread == 0)
    z, b = (rows - mean) / spread, logs.mean()
    n = z.shape[1]
    eye = torch.eye(n, dtype=z.dtype) * strength**0.5
    system = torch.cat((z, eye))
    right = torch.cat((logs - b, torch.zeros(n, dtype=z.dtype)))
    w = torch.linalg.lstsq(system, right[:, None]).solution[:, 0]
    return torch.exp2(b + ((asked - mean) / spread) @ w)
