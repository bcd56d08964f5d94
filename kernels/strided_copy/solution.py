import torch
import triton
import triton.language as tl

BLOCK = 256
# 32 lanes, 12 bytes apart, span 384 bytes, and every 32 of them hold a wanted number.
SECTORS_3 = 12
# 64 bytes apart: no two lanes meet in a sector, and 28 of its 32 bytes are not used.
SECTORS_16 = 32


@triton.jit
def strided_copy_kernel(x_ptr, out_ptr, count, stride, BLOCK: tl.constexpr):
    # Two indices: i is the place in the result, and i * stride the place in x. 64 bits, because
    # the product may pass 2**31 while i does not.
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    # A lane exists if the result has its place. Then x has the element too.
    inside = i < count
    v = tl.load(x_ptr + i * stride, mask=inside)
    # The stores are neighbours whatever the stride is; only the loads scatter.
    tl.store(out_ptr + i, v, mask=inside)


def strided_copy(x: torch.Tensor, stride: int) -> torch.Tensor:
    """The elements 0, stride, 2 * stride, ... of a contiguous float32 vector."""
    count = triton.cdiv(x.numel(), stride)
    out = torch.empty(count, dtype=x.dtype, device=x.device)
    strided_copy_kernel[(triton.cdiv(count, BLOCK),)](x, out, count, stride, BLOCK=BLOCK)
    return out
