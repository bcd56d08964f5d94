import torch

PROGRAMS, MASKED, BIAS, BYTES = 235, 160, 34, 480240


def alone(x, w):
    h = x.float()
    squares = torch.einsum("nhi,nhi->nh", h, h)[..., None]
    y = h / (squares / 96 + 1e-5).sqrt() * w[:, None]
    return (y.clamp(min=0) + 0.25 * y.clamp(max=0)).half()
