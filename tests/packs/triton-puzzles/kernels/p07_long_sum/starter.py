import torch
import triton
import triton.language as tl

BLOCK = 128


@triton.jit
def sum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    # Write the kernel.
    pass


def long_sum(x: torch.Tensor) -> torch.Tensor:
    """The sum of each row."""
    rows, columns = x.shape
    out = torch.empty(rows, dtype=x.dtype, device=x.device)
    sum_kernel[(rows,)](x, out, columns, BLOCK=BLOCK)
    return out
