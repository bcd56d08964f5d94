import torch
import triton
import triton.language as tl

BLOCK = 256  # elements of one block


@triton.jit
def grid_stride_sum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # Write the kernel: a block of totals, a loop over
    # this program's blocks, one sum at the end.
    pass


def grid_stride_sum(x: torch.Tensor, programs: int) -> torch.Tensor:
    """Partial sums of a contiguous float32 vector: [programs], block b counted in b % programs."""
    out = torch.empty(programs, dtype=x.dtype, device=x.device)
    grid_stride_sum_kernel[(programs,)](x, out, x.numel(), BLOCK=BLOCK)
    return out
