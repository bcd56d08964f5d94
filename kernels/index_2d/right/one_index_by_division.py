"""A grid of one axis; each lane has one place in memory, and its row and column by // and %."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bias = i % columns - i // columns
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0) + bias, mask=i < n)


def index_2d(x):
    out = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 512),)](x, out, n, x.size(1), BLOCK=512)
    return out
