import torch
import triton
import triton.language as tl

BLOCK = 256
SECTORS_3 = 0  # sectors that a warp's load touches with a stride of 3
SECTORS_16 = 0  # and with a stride of 16


@triton.jit
def strided_copy_kernel(x_ptr, out_ptr, count, stride, BLOCK: tl.constexpr):
    # Write the kernel: the place of each lane in the
    # result, the load, the store.
    pass


def strided_copy(x: torch.Tensor, stride: int) -> torch.Tensor:
    """The elements 0, stride, 2 * stride, ... of a contiguous float32 vector."""
    count = triton.cdiv(x.numel(), stride)
    out = torch.empty(count, dtype=x.dtype, device=x.device)
    strided_copy_kernel[(triton.cdiv(count, BLOCK),)](x, out, count, stride, BLOCK=BLOCK)
    return out
