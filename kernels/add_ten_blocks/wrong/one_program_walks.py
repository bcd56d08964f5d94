# expect: too-few-programs
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, blocks, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    for block in range(0, blocks):
        at = block * BLOCK + lane
        tl.store(out_ptr + at, tl.load(x_ptr + at) + 10)


def add_ten_blocks(x):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, x.numel() // 1024, BLOCK=1024)
    return out
