import torch

PROGRAMS = 235  # 60,000 / 256 is 234.4, rounded up
MASKED = 160  # 235 * 256 - 60,000, all in the last program
BIAS = 34  # 1234 % 60
BYTES = 480_240  # 60,000 read, 60,000 written, 60 of the bias, each 4 bytes


def alone(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Return what the kernel without notes computes: x is float16 [n, 8, 96], w is float32 [8]."""
    # tmp1: fp16 is converted once, at the load. All arithmetic is in float32.
    h = x.float()
    # tmp2 to tmp11: the mean of the squares of a row of 96, plus 1e-5, under a root. Nothing is
    # subtracted before the squares, so this is an RMS norm and not a layer norm.
    factor = torch.rsqrt(h.square().mean(-1, keepdim=True) + 1e-5)
    # tmp12, tmp14: x2 = xindex % 8 is the middle axis, so w has one number for each of 8 heads.
    y = h * factor * w[:, None]
    # tmp16 to tmp19, and the pointer of the store is *fp16: the conversion is in the store.
    return torch.where(y > 0, y, 0.25 * y).to(torch.float16)
