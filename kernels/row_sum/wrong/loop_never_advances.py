# expect: timeout
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    start = 0
    while start < columns:
        column = start + tl.arange(0, BLOCK)
        mask = column < columns
        x = tl.load(x_ptr + row * row_stride + column * column_stride, mask=mask, other=0.0)
        total += tl.sum(x, axis=0)
    tl.store(out_ptr + row, total)


def row_sum(x):
    rows, columns = x.shape
    out = torch.empty(rows, dtype=x.dtype, device=x.device)
    row_sum_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=BLOCK)
    return out
