"""Each block of 256 arrives in four unrolled pieces of 64 lanes; a function of ours reduces."""

import torch
import triton
import triton.language as tl


@triton.jit
def add(u, v):
    return u + v


@triton.jit
def kernel(x_ptr, out_ptr, n, programs, PIECES: tl.constexpr, LANES: tl.constexpr):
    lane = tl.arange(0, LANES)
    total = tl.full((LANES,), 0.0, tl.float32)
    for block in range(tl.program_id(0), tl.cdiv(n, PIECES * LANES), programs):
        for piece in tl.static_range(PIECES):
            i = (block * PIECES + piece) * LANES + lane
            total = total + tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + tl.program_id(0), tl.reduce(total, 0, add))


def grid_stride_sum(x, programs):
    out = torch.empty((programs,), device=x.device)
    kernel[(programs,)](x, out, x.numel(), programs, PIECES=4, LANES=64)
    return out
