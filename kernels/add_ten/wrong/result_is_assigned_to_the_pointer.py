# expect: output-not-written
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    out_ptr = x + 10


def add_ten(x):
    out = torch.empty_like(x)
    add_ten_kernel[(1,)](x, out, BLOCK=BLOCK)
    return out
