import torch
import triton
import triton.language as tl


@triton.jit
def index_2d_kernel(x_ptr, out_ptr, n, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, column = i // columns, i % columns
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x + (column - row), mask=i < n)


def index_2d(x):
    out = torch.empty_like(x)
    n = x.numel()
    index_2d_kernel[(triton.cdiv(n, 512),)](x, out, n, x.shape[1], BLOCK=512)
    return out
