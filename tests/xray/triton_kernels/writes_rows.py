"""A launcher that writes a tensor of zeros row by row, each by a kernel of its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def written(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n), mask=at < n)


def writes_rows(x):
    out = torch.zeros(2, 16, 32, device=x.device)
    for row in range(2):
        written[(1,)](x, out[row], 512, BLOCK=512)
    return out + 1
