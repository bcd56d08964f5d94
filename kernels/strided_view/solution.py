import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    # 64 bits, because row * row_stride passes 2**31 in a tensor of 8 GiB.
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    # The input is read by its own strides, so any view comes out right and nothing is copied first.
    x = tl.load(x_ptr + row * row_stride + column.to(tl.int64) * column_stride, mask=mask)
    # The output was made contiguous: its strides are (columns, 1).
    tl.store(out_ptr + row * columns + column, 2 * x, mask=mask)


def double(x: torch.Tensor) -> torch.Tensor:
    """2 * x for a float32 matrix that may be a view."""
    rows, columns = x.shape
    # Not empty_like(x): it would keep a transposed layout, and the kernel stores row after row.
    out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(columns)
    double_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=block)
    return out
