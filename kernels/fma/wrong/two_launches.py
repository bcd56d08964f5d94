# expect: too-much-traffic
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def mul_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    a = tl.load(a_ptr + offsets, mask=mask)
    b = tl.load(b_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, a * b, mask=mask)


@triton.jit
def add_kernel(x_ptr, c_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    c = tl.load(c_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + c, mask=mask)


def fma(a, b, c):
    a, b, c = a.contiguous(), b.contiguous(), c.contiguous()
    product = torch.empty(a.shape, dtype=a.dtype, device=a.device)
    out = torch.empty(a.shape, dtype=a.dtype, device=a.device)
    n = out.numel()
    grid = (triton.cdiv(n, BLOCK),)
    mul_kernel[grid](a, b, product, n, BLOCK=BLOCK)
    add_kernel[grid](product, c, out, n, BLOCK=BLOCK)
    return out
