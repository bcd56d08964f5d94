import torch
import triton
import triton.language as tl


@triton.jit
def tile_kernel(x_ptr, out_ptr, SIDE: tl.constexpr):
    lane = tl.arange(0, SIDE)
    at = lane[:, None] * SIDE + lane[None, :]
    tl.store(out_ptr + at, 10 + tl.load(x_ptr + at))


def add_ten(x):
    out = torch.empty_like(x)
    tile_kernel[(1,)](x, out, SIDE=32)
    return out
