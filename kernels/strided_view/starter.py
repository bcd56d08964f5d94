import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    # One program for each row. This is right for a
    # contiguous matrix. Where does element [row,
    # column] of a view lie?
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    x = tl.load(x_ptr + row * columns + column, mask=mask)
    tl.store(out_ptr + row * columns + column, 2 * x, mask=mask)


def double(x: torch.Tensor) -> torch.Tensor:
    """2 * x for a float32 matrix that may be a view."""
    rows, columns = x.shape
    out = torch.empty_like(x)  # which layout does it have when x is transposed?
    block = triton.next_power_of_2(columns)
    double_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=block)
    return out
