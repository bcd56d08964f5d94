# expect: low-precision
# exercise: fma
# S7: float32 in and out, float16 in between.
import torch
import triton
import triton.language as tl


@triton.jit
def fma_kernel(a_ptr, b_ptr, c_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    a = tl.load(a_ptr + offsets, mask=mask).to(tl.float16)
    b = tl.load(b_ptr + offsets, mask=mask).to(tl.float16)
    c = tl.load(c_ptr + offsets, mask=mask).to(tl.float16)
    tl.store(out_ptr + offsets, (a * b + c).to(tl.float32), mask=mask)


def fma(a, b, c):
    out = torch.empty(a.shape, device=a.device)
    n = out.numel()
    a, b, c = a.contiguous(), b.contiguous(), c.contiguous()
    fma_kernel[(triton.cdiv(n, 1024),)](a, b, c, out, n, BLOCK=1024)
    return out
