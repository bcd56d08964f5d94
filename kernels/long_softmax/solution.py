import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def long_softmax_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row, out_row = x_ptr + row * row_stride, out_ptr + row * columns
    # -inf and 0 are what an empty row would have: the first step then needs no special case.
    largest = float("-inf")
    total = 0.0
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        # -inf never wins the maximum, and its exponential adds nothing to the sum.
        v = tl.load(
            x_row + column.to(tl.int64) * column_stride, mask=column < columns, other=float("-inf")
        )
        new = tl.maximum(largest, tl.max(v, axis=0))
        # `total` is a sum of exp(x - largest). Times exp(largest - new) it is a sum of exp(x - new).
        # `new` is never below `largest`, so the factor is at most 1 and nothing overflows.
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(v - new), axis=0)
        largest = new
    # Maximum and sum are final only now, so the row is read a second time.
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        mask = column < columns
        v = tl.load(x_row + column.to(tl.int64) * column_stride, mask=mask)
        tl.store(out_row + column, tl.exp(v - largest) / total, mask=mask)


def long_softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax of each row of a float32 matrix whose rows may be of any length."""
    rows, columns = x.shape
    out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
    long_softmax_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=BLOCK)
    return out
