import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at) + 10)


def add_ten_blocks(x):
    out = torch.empty_like(x)
    kernel[(x.numel() // 256,)](x, out, BLOCK=256)
    return out
