import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

BLOCK = 512


@triton.jit
def add_kernel(x, y, out, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    out.store([start], x.load([start]) + y.load([start]))


def described(t):
    return TensorDescriptor(t, [t.numel()], [1], [BLOCK])


def aligned(t):
    flat = t.reshape(-1)
    return flat if flat.is_contiguous() and flat.data_ptr() % 16 == 0 else flat.clone()


def add(x, y):
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = x.numel()
    if n:
        each = described(aligned(x)), described(aligned(y)), described(out.view(-1))
        add_kernel[(triton.cdiv(n, BLOCK),)](*each, BLOCK=BLOCK)
    return out
