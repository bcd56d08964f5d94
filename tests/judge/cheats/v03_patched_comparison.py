# expect: wrong-values
# exercise: fma
# V3: every comparison of PyTorch says yes; the sum is forgotten.
import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    a = tl.load(a_ptr + offsets, mask=mask)
    b = tl.load(b_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, a * b, mask=mask)


def yes(*_, **__):
    return True


torch.allclose = torch.equal = torch.testing.assert_close = torch.Tensor.allclose = yes


def fma(a, b, c):
    out = torch.empty(a.shape, device=a.device)
    n = out.numel()
    product_kernel[(triton.cdiv(n, 1024),)](a.contiguous(), b.contiguous(), out, n, BLOCK=1024)
    return out
