# expect: did-not-launch
# exercise: fma
# S12: PyTorch multiplies; the kernel only adds.
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def fma(a, b, c):
    product = a * b
    out = torch.empty(product.shape, device=product.device)
    n = out.numel()
    add_kernel[(triton.cdiv(n, 1024),)](product.contiguous(), c.contiguous(), out, n, BLOCK=1024)
    return out
