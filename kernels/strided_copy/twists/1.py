import torch
import triton
import triton.language as tl

BLOCK = 256
SECTORS_3 = 12
SECTORS_16 = 32


@triton.jit
def strided_copy_kernel(x_ptr, out_ptr, count, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    i = count - 1 - i
    inside = i >= 0
    v = tl.load(x_ptr + i * stride, mask=inside)
    tl.store(out_ptr + i, v, mask=inside)


def strided_copy(x: torch.Tensor, stride: int) -> torch.Tensor:
    """The elements 0, stride, 2 * stride, ... of a contiguous float32 vector."""
    count = triton.cdiv(x.numel(), stride)
    out = torch.empty(count, dtype=x.dtype, device=x.device)
    strided_copy_kernel[(triton.cdiv(count, BLOCK),)](x, out, count, stride, BLOCK=BLOCK)
    return out
