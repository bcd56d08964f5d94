# expect: compile-error
import torch
import triton
import triton.language as tl


@triton.jit
def fma_kernel(a_ptr, b_ptr, c_ptr, out_ptr, n, block):
    pid = tl.program_id(0)
    offsets = pid * block + tl.arange(0, block)
    mask = offsets < n
    a = tl.load(a_ptr + offsets, mask=mask)
    b = tl.load(b_ptr + offsets, mask=mask)
    c = tl.load(c_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, a * b + c, mask=mask)


def fma(a, b, c):
    a, b, c = a.contiguous(), b.contiguous(), c.contiguous()
    out = torch.empty(a.shape, dtype=a.dtype, device=a.device)
    n = out.numel()
    fma_kernel[(triton.cdiv(n, 1024),)](a, b, c, out, n, 1024)
    return out
