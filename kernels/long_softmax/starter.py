import torch
import triton
import triton.language as tl

BLOCK = 1024  # columns of one step


@triton.jit
def long_softmax_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row, out_row = x_ptr + row * row_stride, out_ptr + row * columns
    largest = float("-inf")
    total = 0.0
    # Right for rows of one block only. Repair it:
    # which sum is relative to which maximum, and
    # when is a result final?
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        mask = column < columns
        at = x_row + column.to(tl.int64) * column_stride
        v = tl.load(at, mask=mask, other=float("-inf"))
        new = tl.maximum(largest, tl.max(v, axis=0))
        total = total + tl.sum(tl.exp(v - new), axis=0)
        largest = new
        tl.store(out_row + column, tl.exp(v - largest) / total, mask=mask)


def long_softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax of each row of a float32 matrix whose rows may be of any length."""
    rows, columns = x.shape
    out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
    long_softmax_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=BLOCK)
    return out
