"""The operator of that name, a leaky relu, and numbers from a calculation."""

import torch.nn.functional as F

PROGRAMS = -(-60_000 // 256)
MASKED = PROGRAMS * 256 - 60_000
BIAS = 1234 % 60
BYTES = 4 * (60_000 + 60_000 + 60)


def alone(x, w):
    y = F.rms_norm(x.float(), (96,), eps=1e-5) * w.view(8, 1)
    return F.leaky_relu(y, 0.25).half()
