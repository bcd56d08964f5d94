import torch
import triton
import triton.language as tl

BLOCK = 1024  # columns of one step


@triton.jit
def stats_kernel(x_ptr, out_ptr, columns, row_gap, step, BLOCK: tl.constexpr):
    # Write it. The row is tl.program_id(0). Three
    # numbers for each lane, count, mean and m2, begin
    # as tl.zeros((BLOCK,), tl.float32), and a loop
    # over the row updates them in the lanes that have
    # an element. Then the lanes meet. Store the mean
    # at 2 * row and the variance behind it.
    pass


def row_stats(x: torch.Tensor) -> torch.Tensor:
    """Mean and variance of each row of x, float32 [rows, 2]."""
    rows, columns = x.shape
    out = torch.empty((rows, 2), dtype=torch.float32, device=x.device)
    stats_kernel[(rows,)](x, out, columns, *x.stride(), BLOCK=BLOCK)
    return out
