import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def long_softmax_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_row, out_row = x_ptr + row * row_stride, out_ptr + row * columns
    most = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        v = tl.load(x_row + column * column_stride, mask=column < columns, other=float("-inf"))
        new = tl.maximum(most, v)
        safe = tl.where(new == float("-inf"), 0.0, new)
        sums = sums * tl.exp(most - safe) + tl.exp(v - safe)
        most = new
    largest = tl.max(most, axis=0)
    total = tl.sum(sums * tl.exp(most - largest), axis=0)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        mask = column < columns
        v = tl.load(x_row + column * column_stride, mask=mask)
        tl.store(out_row + column, tl.exp(v - largest) / total, mask=mask)


def long_softmax(x):
    rows, columns = x.shape
    out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
    long_softmax_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=BLOCK)
    return out
