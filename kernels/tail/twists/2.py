import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + tl.minimum(offsets, n - 1))
    tl.store(out_ptr + offsets, x + 10, mask=mask)


def add_ten_any(x):
    out = torch.empty_like(x)
    n = x.numel()
    add_ten_kernel[(triton.cdiv(n, BLOCK),)](x, out, n, BLOCK=BLOCK)
    return out
