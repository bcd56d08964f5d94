# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x_ptr, out_ptr, n, R, row_stride, column_stride, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(x_ptr + at % R * row_stride + at // R * column_stride, mask=mask)
    tl.store(out_ptr + at, x, mask=mask)


def transpose(x):
    out = torch.empty(x.shape[::-1], dtype=x.dtype, device=x.device)
    n = x.numel()
    transpose_kernel[(triton.cdiv(n, 1024),)](x, out, n, x.shape[0], *x.stride(), BLOCK=1024)
    return out
