# expect: wrong-values

import torch

PROGRAMS = 235
MASKED = 160
BIAS = 34
BYTES = 480_240


def alone(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Return what the kernel without notes computes: x is float16 [n, 8, 96], w is float32 [8]."""
    h = x.float()
    factor = torch.rsqrt(h.square().mean(-1, keepdim=True) + 1e-5)
    y = h * factor * w[torch.arange(len(x)) % 8][:, None, None]
    return torch.where(y > 0, y, 0.25 * y).to(torch.float16)
