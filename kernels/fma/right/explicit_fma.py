import torch
import triton
import triton.language as tl


@triton.jit
def fma_kernel(a_ptr, b_ptr, c_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    a = tl.load(a_ptr + offsets, mask=mask, other=0.0)
    b = tl.load(b_ptr + offsets, mask=mask, other=0.0)
    c = tl.load(c_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, tl.fma(a, b, c), mask=mask)


def fma(a, b, c):
    a, b, c = (t.contiguous() for t in (a, b, c))
    out = torch.empty_like(a)
    fma_kernel[(triton.cdiv(a.numel(), 128),)](a, b, c, out, a.numel(), BLOCK=128)
    return out
