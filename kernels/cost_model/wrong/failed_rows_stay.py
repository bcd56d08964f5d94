# expect: wrong-values
import torch


def predicted(
    features: torch.Tensor, times: torch.Tensor, asked: torch.Tensor, strength: float
) -> torch.Tensor:
    """Predicted times in microseconds, a number for each row of `asked`."""
    kept = torch.ones_like(times, dtype=torch.bool)
    times = torch.nan_to_num(times, nan=1000.0)
    rows, logs = features[kept], torch.log2(times[kept])
    mean, spread = rows.mean(0), rows.std(0, correction=0)
    spread = torch.where(spread == 0, 1.0, spread)
    z = (rows - mean) / spread
    b = logs.mean()
    system = z.T @ z + strength * torch.eye(z.shape[1], dtype=z.dtype)
    w = torch.linalg.solve(system, z.T @ (logs - b))
    return 2 ** (b + (asked - mean) / spread @ w)
