import torch
import triton
import triton.language as tl

BLOCK = 1024  # columns of one step


@triton.jit
def online_max_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    # Write the kernel: one program, one row, one loop
    # over its blocks. It carries the largest number so
    # far and the sum so far. What becomes of the sum
    # when a larger number comes?
    pass


def online_max(x: torch.Tensor) -> torch.Tensor:
    """Maximum of each row, and sum of exp(x - maximum): [rows, columns] -> [rows, 2]."""
    rows, columns = x.shape
    out = torch.empty((rows, 2), dtype=x.dtype, device=x.device)
    online_max_kernel[(rows,)](x, out, columns, BLOCK=BLOCK)
    return out
