import torch

PROGRAMS, MASKED, BIAS, BYTES = 235, 160, 34, 480240


def alone(x, w):
    rows = x.reshape(-1, 96).float()
    weight = w[torch.arange(len(rows)) % 8]
    y = rows * torch.rsqrt(rows.square().mean(1) + 1e-5)[:, None] * weight[:, None]
    return torch.where(y > 0, y, 0.25 * y).half().view(x.shape)
