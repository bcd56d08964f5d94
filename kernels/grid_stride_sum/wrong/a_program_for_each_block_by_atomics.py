# expect: wrong-values
import torch
import triton
import triton.language as tl

BLOCK = 256


@triton.jit
def grid_stride_sum_kernel(x_ptr, out_ptr, n, programs, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    i = block * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0)
    tl.atomic_add(out_ptr + block % programs, part)


def grid_stride_sum(x, programs):
    out = torch.zeros(programs, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(x.numel(), BLOCK),)
    grid_stride_sum_kernel[grid](x, out, x.numel(), programs, BLOCK=BLOCK)
    return out
