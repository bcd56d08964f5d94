# expect: did-not-launch
# exercise: vector_add
# S12: NumPy adds; the kernel adds zero.
import numpy as np
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + 0.0, mask=mask)


def add(x, y):
    total = torch.from_numpy(np.ascontiguousarray(x.numpy() + y.numpy()))
    out = torch.empty(total.shape, dtype=total.dtype)
    n = out.numel()
    add_kernel[(triton.cdiv(n, 1024),)](total, out, n, BLOCK=1024)
    return out
