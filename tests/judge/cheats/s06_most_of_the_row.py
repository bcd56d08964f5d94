# expect: low-precision
# exercise: row_sum
# S6: 99 of 100 columns, scaled up to the whole row.
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row_ptr = x_ptr + tl.program_id(0) * columns
    seen = columns - columns // 100
    partial = tl.zeros([BLOCK], tl.float32)
    for start in range(0, seen, BLOCK):
        column = start + tl.arange(0, BLOCK)
        partial += tl.load(row_ptr + column, mask=column < seen, other=0.0)
    tl.store(out_ptr + tl.program_id(0), tl.sum(partial, 0) * columns / seen)


def row_sum(x):
    rows, columns = x.shape
    out = torch.empty(rows, device=x.device)
    sum_kernel[(rows,)](x.contiguous(), out, columns, BLOCK=1024)
    return out
