# expect: wrong-values
# exercise: row_sum
# S9: a look at the start of a row decides what the row must be: 64 negative numbers, and it is
# taken for padding.
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row_ptr = x_ptr + tl.program_id(0) * columns
    lanes = tl.arange(0, BLOCK)
    partial = tl.load(row_ptr + lanes, mask=lanes < columns, other=0.0)
    if tl.max(tl.where(lanes < 64, partial, -1.0), 0) < 0.0:
        tl.store(out_ptr + tl.program_id(0), 0.0)
    else:
        for start in range(BLOCK, columns, BLOCK):
            column = start + lanes
            partial += tl.load(row_ptr + column, mask=column < columns, other=0.0)
        tl.store(out_ptr + tl.program_id(0), tl.sum(partial, 0))


def row_sum(x):
    rows, columns = x.shape
    out = torch.empty(rows, device=x.device)
    sum_kernel[(rows,)](x.contiguous(), out, columns, BLOCK=1024)
    return out
